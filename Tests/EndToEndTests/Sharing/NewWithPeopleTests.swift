import FoundationEssentials
import Subprocess
import Testing

/// `trolley new --invite`, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct NewWithPeopleTests {
    private struct Answer: Decodable {
        struct Invitation: Decodable {
            struct Refusal: Decodable { let code: String }
            let link: String?
            let email: String?
            let waiting: Bool?
            let refused: Refusal?
        }
        let invitations: [Invitation]?
        let notSent: [Invitation]?
        let items: [String]?
        let wanted: Int?
    }

    private func answer(_ text: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    @Test func `a list made with its people, without the service, is theirs when it is back`() async throws {
        try await withTemporaryDirectory { directory in
            let (alice, bob) = (
                CommandLineDevice(home: "\(directory)/alice"), CommandLineDevice(home: "\(directory)/bob")
            )
            var port = ""
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                port = String(service.address.split(separator: ":").last ?? "")
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await bob("sign-up", service.address, "--email", "bob@example.com", "--name", "Bob")
                let made = try answer(try await alice("new", "Picnic", "--invite", "bob@example.com", "--json"))
                // Where the machine is busy, the command doesn't wait for the service.
                try await alice("sync")
                #expect(try answer(try await alice("invitations", "--json")).notSent?.isEmpty == true)
                try await alice("add", "plates", "cups")
                let look = try answer(try await bob("join", "--look", made.invitations?[0].link ?? "", "--json"))
                #expect(look.items == ["plates", "cups"] && look.wanted == 2)
            }
            let made = try answer(
                try await alice(
                    "new", "Party", "--invite", "bob@example.com", "--invite", "carol@example.com", "--json"))
            #expect(made.invitations?.map(\.waiting) == [true, true])
            try await alice("add", "balloons")
            let waiting = try await alice("invitations", "--json")
            #expect(try answer(waiting).notSent?.map(\.email) == ["bob@example.com", "carol@example.com"])
            #expect(waiting.contains(#""offline":true"#))
            try await alice("withdraw", "carol@example.com")
            try await RunningService.run(dataDirectory: "\(directory)/data", port: port) { _ in
                try await alice("sync")
                #expect(try answer(try await alice("invitations", "--json")).notSent?.isEmpty == true)
                let link = try #require(made.invitations?[0].link)
                #expect(try await bob("join", "--look", link).contains("It begins with: balloons."))
                try await bob("join", link)
                #expect(try await bob.show() == alice.show())
            }
        }
    }

    @Test func `what the service refuses is told, and the list remains`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            try await RunningService.run(
                dataDirectory: "\(directory)/data", arguments: ["--participants-per-list", "2"]
            ) {
                service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                #expect(try await alice.fails("new", "Party", "--invite", "bob").contains("not an email address"))
                #expect(try await alice.fails("new", "Party", "--invite", "b@c.de", "--local").contains("give one of"))
                #expect(try await alice.fails("new", "Party", "--read-only").contains("--invite EMAIL"))
                #expect(!(try await alice("lists").contains("Party")), "bad input makes nothing")
                let result = try await alice.run([
                    "new", "Party", "--invite", "bob@example.com", "--invite", "carol@example.com", "--json",
                ])
                let made = try answer(result.output)
                // Where the machine is busy, the next sync tells it.
                if made.invitations?.contains(where: { $0.waiting == true }) == true {
                    #expect(try await alice("sync").contains("carol@example.com was refused"))
                } else {
                    #expect(!result.status.isSuccess)
                    #expect(made.invitations?.map(\.refused?.code) == [nil, "tooManyParticipants"])
                }
                #expect(try await alice("lists").contains("Party"))
                #expect(try await alice("invitations").contains("carol@example.com was refused"))
                try await alice("withdraw", "carol@example.com")
                #expect(!(try await alice("invitations").contains("carol")))
            }
        }
    }
}
