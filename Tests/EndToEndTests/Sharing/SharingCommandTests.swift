import FoundationEssentials
import Testing

/// All commands of `trolley` about people, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct SharingCommandTests {
    private struct Answer: Decodable {
        struct Invitation: Decodable {
            let link: String?
            let email: String?
        }
        struct Participant: Decodable {
            let name: String?
            let role: String
            let status: String
            let permission: String
        }
        struct List: Decodable {
            let name: String
            let others: Int
        }
        var link: String?
        var invitations: [Invitation]?
        var participants: [Participant]?
        var lists: [List]?
        var code: String?
    }

    private func answer(_ text: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    @Test
    func `a local list is shared in one step, declined, permitted, handed over, and outlives its owner's account`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            let carol = CommandLineDevice(home: "\(directory)/carol")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob"), (carol, "Carol")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party", "--local")
                try await alice("add", "balloons")
                let shared = try answer(try await alice("share", "bob@example.com", "carol@example.com", "--json"))
                let links = (shared.invitations ?? []).compactMap(\.link)
                try #require(links.count == 2)

                try await bob("join", links[0])
                #expect(try await bob.show() == alice.show(), "its items are there when sharing is done")
                try await carol("decline", links[1])
                let open = try answer(try await alice("invitations", "--json")).invitations ?? []
                #expect(open.map(\.email) == ["bob@example.com"])
                try await alice("withdraw", "BOB@example.com")
                #expect(try answer(try await alice("invitations", "--json")).invitations?.isEmpty == true)

                try await alice("permission", "bob", "read-only")
                try await bob("sync")
                let participants = try answer(try await bob("participants", "--json")).participants ?? []
                #expect(participants.map(\.permission) == ["readWrite", "readOnly"])
                try await alice("hand-over", "bob@example.com")
                try await alice("add", "cake")
                try await bob("sync")
                try await alice("delete-account", "--yes")
                #expect(try answer(try await alice("lists", "--json")).lists?.isEmpty == true)
                try await bob("sync")
                #expect(try await bob.show().contains("cake"))
                let activity = try await bob("activity")
                #expect(activity.contains("Bob owns the list") && activity.contains("deleted their account"))
                #expect(activity.contains("carol@example.com declined") && !activity.contains("Alice"))
            }
        }
    }

    @Test func `if signing up needs an invitation, an operator's code and a list's link both work`() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: data, arguments: ["--registration", "invitation"]) { service in
                // The operator creates the code while the service runs.
                let code = try #require(
                    try answer(
                        try await Programs.output(of: Programs.trolleyd, "invite", "--json", "--data-directory", data)
                    )
                    .code)
                try await alice(
                    "sign-up", service.address, "--email", "alice@example.com", "--name", "Alice", "--invitation", code)
                try await alice("new", "Weekly shop")
                let link = try #require(try answer(try await alice("invite", "--json")).link)
                try await bob(
                    "sign-up", service.address, "--email", "bob@example.com", "--name", "Bob", "--invitation", link)
                try await bob("join", link)
                #expect(try answer(try await bob("lists", "--json")).lists?.map(\.name) == ["Weekly shop"])
            }
        }
    }
}
