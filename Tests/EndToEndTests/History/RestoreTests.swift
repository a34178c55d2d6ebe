import FoundationEssentials
import Subprocess
import Testing

/// Putting a list back to a moment, and looking at it as it was then.
@Suite(.timeLimit(.minutes(20))) struct RestoreTests {
    private func link(_ invitation: String) throws -> String {
        try String(#require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1))
    }

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
                // What has come by now has the numbers up to this.
                let head = try await alice("replay", "--through", "1000", "--json")
                let number = try String(
                    #require(head.firstMatch(of: /"head":(\d+)|"sequence":(\d+)/)).output.0.split(separator: ":")[1])
                let now = try await Self.moment()
                try await Task.sleep(for: .milliseconds(50))
                try await bob("delete", "eggs")
                try await bob("rename", "Bob's")
                try await alice("move", "jam", "--top")
                try await alice("sync")
                let after = try await alice("show")
                #expect(try await alice("replay", "--at", now).contains("2. [ ] eggs"))
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
                #expect(try await alice("restore", "--to", "99999").contains("There is nothing to restore"))
                #expect(try await alice.run("restore", "--to", "noon").status == .exited(64))
                return service.port
            }
            _ = port
            // Without the service, the device replays its own entries.
            let known = try await alice("replay", "--at", try await Self.moment())
            #expect(known.contains("Bob's") && known.contains("This is what this device has"))
            #expect(try await alice("replay", "--through", "2", "--json").contains(#""offline":true"#))
        }
    }

    private static func moment() async throws -> String {
        let text = try await Programs.output(of: .name("date"), "-u", "+%FT%T.%3NZ")
        return String(text.prefix { !$0.isNewline })
    }
}
