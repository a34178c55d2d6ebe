import Subprocess
import Testing

/// `say`, `messages`, `react`, `pin` and `unsay`, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct MessageCommandTests {
    @Test func `two people talk about a list and its items, and see who has read what`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                try await bob("show")
                #expect(try await alice("messages") == "No messages.\n")
                #expect(try await alice("say", "Anything else?").hasPrefix("Said.\n"))
                try await bob("sync")
                #expect(try await bob("lists").contains("1 unread"))
                // A program's reading doesn't count as the person's.
                #expect(try await bob("messages", "--json").contains(#""text":"Anything else?""#))
                #expect(try await bob("lists").contains("1 unread"))
                #expect(try await bob("messages").contains("Alice: Anything else?"))
                #expect(try await !bob("lists").contains("unread"))
                #expect(try await bob("react", "1", "👍").contains("Reacted to 'Anything else?' with 👍."))
                try await bob("say", "--item", "milk", "The one with the blue lid")

                try await alice("sync")
                // Only some of the messages are shown, so the list isn't read through.
                #expect(try await alice("messages", "--item", "milk").contains("blue lid"))
                #expect(try await alice("messages", "--pinned") == "No messages.\n")
                #expect(try await alice("lists").contains("unread"))
                let shown = try await alice("messages")
                #expect(shown.contains("Alice: Anything else?  👍 1\n"))
                #expect(shown.contains("Bob, about 'milk': The one with the blue lid"))
                #expect(shown.contains("read by Bob"))
                #expect(try await !alice("lists").contains("unread"))
                #expect(try await !alice("messages", "--item", "milk").contains("Anything else?"))
                #expect(try await alice("show").contains("milk"))
                let activity = try await alice("activity")
                #expect(activity.contains("wrote 'The one with the blue lid' about 'milk'"))
                #expect(activity.contains("wrote 'Anything else?'  · seen by Bob\n"))

                try await alice("pin", "blue lid")
                #expect(try await alice("messages", "--pinned").contains("lid  (pinned)"))
                try await alice("pin", "1", "--remove")
                #expect(try await alice("messages", "--pinned") == "No messages.\n")
                try await bob("react", "2", "👍", "--remove")

                // Only the author and the owner delete a message.
                #expect(try await !bob.run("unsay", "Anything").status.isSuccess)
                #expect(try await alice("unsay", "lid").contains("Deleted 'The one with the blue lid'."))
                try await bob("sync")
                let left = try await bob("messages")
                #expect(left.contains("Anything else?") && !left.contains("lid") && !left.contains("👍"))
                #expect(try await bob.fails("unsay", "9").contains("There is no message '9'"))
            }
            // Without the service.
            try await alice("say", "Too late?")
            #expect(try await alice("messages").contains("Alice: Too late?  (not sent yet)"))
        }
    }
}
