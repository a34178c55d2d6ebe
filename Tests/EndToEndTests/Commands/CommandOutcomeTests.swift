import FoundationEssentials
import Subprocess
import Testing

/// Commands report what happened, and do nothing unrequested.
@Suite(.timeLimit(.minutes(20))) struct CommandOutcomeTests {
    /// Runs `body` with two people, both signed in, on a service of their own.
    private func with(
        _ body: (RunningService, CommandLineDevice, CommandLineDevice) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await body(service, alice, bob)
            }
        }
    }

    @Test func `a person removed from the current list is told, and the next item goes to no other list`() async throws
    {
        try await with { _, alice, bob in
            try await bob("new", "Bob's")
            try await alice("new", "Party")
            let invitation = try link(try await alice("invite", "bob@example.com", "--json"))
            try await bob("join", invitation)
            let before = try await bob("show", "--list", "Bob's", "--json")
            try await alice("remove", "bob@example.com")
            let learned = try await bob("sync")
            #expect(learned.contains("'Party' left this device. You are no longer on the list."))
            let refusal = try await bob.fails("add", "beer")
            #expect(refusal.contains("'Party' left this device.") && refusal.contains("trolley use NAME"))
            #expect(try await bob("show", "--list", "Bob's", "--json") == before)
            try await bob("use", "Bob's")
            try await bob("add", "beer")
            let lists = try await bob("lists")
            #expect(lists.contains("'Party' left") && lists.contains("To dismiss this: trolley queue --dismiss"))
            // The notice disappears when the list is back.
            try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
            #expect(try await !bob("lists").contains("'Party' left"))
        }
    }

    @Test func `the list that was there first stays the current one, whatever leaves`() async throws {
        try await with { service, alice, bob in
            try await alice("new", "Party")
            try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
            try await bob("new", "Bob's")
            try await bob("sign-out")
            try await bob("sign-in", service.address, "--email", "bob@example.com")
            #expect(try await bob("show").hasPrefix("Party"))
            try await alice("remove", "bob@example.com")
            try await bob("sync")
            #expect(try await bob.fails("add", "beer").contains("trolley use NAME"))
        }
    }

    @Test func `a repeated action says so and changes nothing`() async throws {
        try await with { _, alice, bob in
            try await alice("new", "Party")
            try await alice("add", "milk")
            let invitation = try link(try await alice("invite", "bob@example.com", "--json"))
            let invited = try await alice("lists")
            #expect(invited.contains("1 invited") && !invited.contains("shared with"))
            try await bob("join", invitation)
            try await alice("sync")
            #expect(try await alice("lists").contains("shared with 1"))
            #expect(try await alice("off", "milk").contains("Marked off milk."))
            #expect(try await alice("off", "milk").contains("milk is marked off already."))
            #expect(try await alice("activity").ranges(of: "marked off").count == 1)
            #expect(try await alice.fails("hand-over", "alice@example.com").contains("Alice owns the list already."))
        }
    }

    @Test func `a change that was refused has failed, also for a program`() async throws {
        try await with { _, alice, bob in
            try await alice("new", "Party")
            try await alice("add", "milk")
            try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
            try await alice("permission", "bob@example.com", "read-only")
            // Bob's device does not know about it yet.
            let refused = try await bob.run("add", "beer", "--json")
            #expect(refused.status == .exited(1))
            #expect(refused.output.contains(#""refused":1"#) && refused.output.contains("See: trolley queue"))
        }
    }

    @Test func `wrong use is told apart from help, also in JSON, and a wrong file is refused in a sentence`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            #expect(try await device.run("nonsense", "--help").status == .exited(64))
            #expect(try await device.run("add", "--help").status == .exited(0))
            #expect(try await device("--version").contains("."))
            let wrong = try await device.run("move", "milk", "--json")
            #expect(wrong.status == .exited(64))
            // The setting asks for JSON like the flag.
            let set = try await Subprocess.run(
                Programs.trolley, arguments: ["move", "milk"], environment: .inherit.updating(["TROLLEY_JSON": "1"]),
                input: .none, output: .string(limit: 1 << 16), error: .discarded)
            #expect(set.standardOutput == wrong.output)
            let document = try JSONDecoder().decode([String: [String: String]].self, from: Data(wrong.output.utf8))
            #expect(document["error"]?["message"]?.isEmpty == false)
            // A list in text form can be imported. A file that isn't a list can't.
            for (command, content) in [("import", "\u{0}"), ("inspect", "milk\n")] {
                try Data(content.utf8).write(to: URL(filePath: "\(directory)/list.txt"))
                let refusal = try await device.fails(command, "\(directory)/list.txt")
                #expect(!refusal.contains("byte") && refusal.contains("list.txt"), "\(refusal)")
            }
        }
    }

    @Test func `without the service the device answers from what it knows, and says so`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Party")
                try await alice("add", "milk")
                try await alice("invite", "bob@example.com")
            }
            #expect(try await alice("participants").contains("This is what this device knew last."))
            #expect(try await alice("participants", "--json").contains(#""offline":true"#))
            let activity = try await alice("activity")
            #expect(activity.contains("Alice added 'milk'") && activity.contains("This is what this device has"))
        }
    }

    @Test func `undoing what somebody else has changed since says so, and undoes nothing older by itself`() async throws
    {
        try await with { _, alice, bob in
            try await alice("new", "Party")
            try await alice("add", "milk")
            try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
            try await alice("rename", "Birthday")
            try await bob("sync")
            try await bob("rename", "Bob's party")
            // Alice's device has not fetched the change. Undo fetches first.
            let skipped = try await alice("undo")
            #expect(skipped.contains("Left alone, since Bob has changed it: the name of the list."))
            let shown = try await alice.show()
            #expect(shown.contains("Bob's party") && shown.contains("milk"))
            #expect(try await alice("undo").contains("Undone: 1 change."))
            #expect(try await !alice.show().contains("milk"))
        }
    }
}
