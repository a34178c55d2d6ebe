import FoundationEssentials
import Subprocess
import Testing

/// Nobody loses a list when a service is restored or emptied; with the real programs.
@Suite(.timeLimit(.minutes(20))) struct LostServiceTests {
    private struct Shown: Decodable {
        struct List: Decodable {
            let name: String
            let waiting: Int
            let kept: Bool
        }
        var lists: [List]?
        var waiting: Int?
        var link: String?
    }

    private func answer(_ text: String) throws -> Shown { try JSONDecoder().decode(Shown.self, from: Data(text.utf8)) }

    /// Copies a directory with its owners, because a database's files belong to the database's user.
    private func copy(_ source: String, to target: String) async throws {
        let result = try await Subprocess.run(
            .name("cp"), arguments: ["-a", source, target], input: .none, output: .discarded,
            error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    }

    @Test func `a person who signed up after the backup signs up again, and keeps their list and changes`() async throws
    {
        try await withTemporaryDirectory { directory in
            let (data, backup) = ("\(directory)/data", "\(directory)/backup")
            let phone = CommandLineDevice(home: "\(directory)/phone")
            let tablet = CommandLineDevice(home: "\(directory)/tablet")
            let port = try await RunningService.run(dataDirectory: data) { $0.port }
            try await copy(data, to: backup)
            try await RunningService.run(dataDirectory: data, port: port) { service in
                try await phone("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await phone("new", "Weekly")
                try await phone("add", "milk", "bread")
            }
            try FileManager.default.removeItem(atPath: data)
            try await copy(backup, to: data)
            try await RunningService.run(dataDirectory: data, port: port) { service in
                let email = ["--email", "anna@example.com"]
                try await phone("add", "eggs")
                try await phone("off", "milk")
                let before = try await phone.show()
                let advice = try await phone.fails("sync")
                #expect(advice.contains("trolley sign-up \(service.address) --email anna@example.com --name 'Anna'"))
                #expect(try await phone.fails("sign-in", service.address, email[0], email[1]).contains("sign up again"))
                let signedOut = try await phone("sign-out")
                #expect(signedOut.contains("on this device alone: 1 list"))
                #expect(try await phone.show() == before, "in sight")
                #expect(try answer(try await phone("lists", "--json")).lists?.map(\.kept) == [true])
                try await phone("add", "jam")
                try await phone("sign-up", service.address, email[0], email[1], "--name", "Anna")
                let lists = try answer(try await phone("lists", "--json")).lists
                #expect(lists?.map(\.name) == ["Weekly"] && lists?.map(\.waiting) == [0])
                try await tablet("sign-in", service.address, email[0], email[1])
                #expect(try await tablet.show() == phone.show())
                #expect(try await tablet.show().contains("jam"))
                #expect(try await tablet.show().contains("bread"))
            }
        }
    }

    @Test func `a shared list that was all sent comes back to an emptied service from its owner's device`() async throws
    {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            func signUp(_ address: String) async throws {
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", address, "--email", "\(name)@example.com", "--name", name)
                }
            }
            let port = try await RunningService.run(dataDirectory: data) { service in
                try await signUp(service.address)
                try await alice("new", "Weekly")
                try await alice("add", "milk", "bread")
                try await bob("join", try #require(try answer(try await alice("invite", "--json")).link))
                try await bob("add", "eggs")
                try await bob("say", "from bob")
                try await alice("sync")
                return service.port
            }
            let before = try await alice("show")
            try FileManager.default.removeItem(atPath: data)
            try await RunningService.run(dataDirectory: data, port: port) { service in
                // She is still signed in to an account that no longer exists.
                try await signUp(service.address)
                #expect(try await alice("show") == before)
                #expect(try await alice("queue").contains("Nothing waits to be sent."))
                let kept = try await bob("lists")
                #expect(kept.contains("kept on this device; ask Alice to invite you again"))
                #expect(try await bob("show") == before)
                // The service has another key, so it can't recognize who made them.
                let activity = try await alice("activity")
                #expect(activity.contains("Bob added 'eggs'"), "\(activity)")
                #expect(activity.contains("Bob wrote 'from bob'"), "\(activity)")
                #expect(
                    activity.contains("Alice added 'milk'") && !activity.contains("Bob added 'milk'"), "\(activity)")
                let messages = try await alice("messages")
                #expect(messages.contains("Bob") && messages.contains("from bob"), "\(messages)")
                try await bob("add", "jam")
                try await bob("join", try #require(try answer(try await alice("invite", "--json")).link))
                try await alice("sync")
                #expect(try await alice.show() == bob.show())
                #expect(try await alice.show().contains("jam"))
                #expect(try await bob("queue").contains("Nothing waits to be sent."))
            }
        }
    }
}
