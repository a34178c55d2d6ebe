import FoundationEssentials
import Subprocess
import Testing
import TrolleyTestSupport

/// Restoring a list to a moment, and replaying it to that moment.
@Suite(.timeLimit(.minutes(20))) struct RestoreTests {
    @Test func `a list is restored to a change and to a time, after a preview, and one undo reverts that`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            let port = try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk", "eggs", "jam")
                let full = try await alice("show")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                // The changes up to now have numbers up to this one.
                let head = try await alice("replay", "--at", "2999-01-01T00:00:00Z", "--json")
                let number = try String(
                    #require(head.firstMatch(of: /"head":(\d+)|"sequence":(\d+)/)).output.0.split(separator: ":")[1])
                let now = try await Programs.moment()
                // What follows is later.
                try await eventually {
                    try await Programs.moment()
                } until: {
                    $0 > now
                }
                try await bob("delete", "eggs")
                try await bob("rename", "Bob's")
                try await alice("move", "jam", "--top")
                try await alice("sync")
                let after = try await alice("show")
                #expect(try await alice("replay", "--at", now).contains("2. [ ] eggs"))
                #expect(try await alice("replay", "--at", "yesterday 17:40") == "The list did not exist then.\n")
                let preview = try await alice("restore", "--to", number, "--preview")
                #expect(preview.contains("restores: eggs") && preview.contains("2. [ ] eggs"))
                #expect(try await alice("show") == after)
                let done = try await alice("restore", "--to", now)
                #expect(done.contains("Restored. To undo that: trolley undo"))
                #expect(try await alice("show") == full)
                try await bob("sync")
                #expect(try await bob.show() == alice.show())
                try await alice("undo")
                #expect(try await alice("show") == after)
                #expect(
                    try await alice("restore", "--to", "2999-01-01T00:00:00Z").contains("There is nothing to restore"))
                for (command, option) in [("restore", "--to"), ("replay", "--through")] {
                    let refusal = try await alice.fails(command, option, "99999")
                    #expect(refusal.contains("The list has no change 99999; its last one is "))
                    #expect(refusal.contains("See its changes: trolley activity"))
                }
                #expect(try await alice("show") == after)
                #expect(try await alice.run("restore", "--to", "noon").status == .exited(64))
                return service.port
            }
            _ = port
            // Without the service, the device replays its own entries.
            let known = try await alice("replay", "--at", try await Programs.moment())
            #expect(known.contains("Bob's") && known.contains("This is what this device has"))
            #expect(try await alice("replay", "--through", "2", "--json").contains(#""offline":true"#))
            #expect(try await alice.fails("replay", "--through", "999").contains("The list has no change 999"))
        }
    }

    @Test func `in a terminal it asks before it puts a list back`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await device("add", "milk")
            try await device("add", "eggs")
            for answer in ["\n", "n\n"] {
                let refused = try await Programs.output(
                    inTerminal: "trolley restore --to 2", home: device.home, input: answer)
                #expect(refused.contains("removes: eggs") && refused.contains("Put the list back? [y/N]"), "\(refused)")
                #expect(refused.contains("Nothing was changed. To put the list back without being asked: --yes"))
                #expect(try await device("show").contains("eggs"))
            }
            _ = try await Programs.output(inTerminal: "trolley restore --to 2", home: device.home, input: "y\n")
            #expect(try await !device("show").contains("eggs"))
            try await device("undo")
            let told = try await Programs.output(inTerminal: "trolley restore --to 2 --yes", home: device.home)
            #expect(told.contains("Restored.") && !told.contains("[y/N]"))
        }
    }

    @Test func `a moment before the list existed is refused, and nothing changes`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Party")
                try await alice("add", "milk")
                for moment in ["2020-01-01 17:40", "0"] {
                    #expect(try await alice.fails("restore", "--to", moment).contains("The list did not exist then"))
                }
                #expect(try await alice("show").contains("Party  1 to buy"))
            }
            #expect(
                try await alice.fails("restore", "--to", "2020-01-01 17:40")
                    .contains("This device knows nothing of the list from then"))
            #expect(try await alice("show").contains("Party  1 to buy"))
        }
    }
}
