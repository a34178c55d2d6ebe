import FoundationEssentials
import Testing

/// The counts of other people's changes since the person last read.
@Suite(.timeLimit(.minutes(20))) struct UnreadCommandTests {
    @Test
    func
        `lists says how much of others' is unread, and reading on one device counts on the other, also after an outage`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let tablet = CommandLineDevice(home: "\(directory)/tablet")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            let port = try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                try await tablet("sign-in", service.address, "--email", "alice@example.com")
                #expect(try await !alice("lists").contains("unread"))
                try await bob("add", "beer", "wine")
                for device in [alice, tablet] {
                    try await device("sync")
                    #expect(try await device("lists").contains("2 unread"))
                    #expect(try await device("lists", "--json").contains(#""unread":2"#))
                }
                // A program's reading doesn't count as the person's.
                try await alice("show", "--json")
                #expect(try await alice("lists").contains("2 unread"))
                try await alice("show")
                #expect(try await !alice("lists").contains("unread"))
                try await tablet("sync")
                #expect(try await tablet("lists").contains("2 unread"), "the service has not heard of it")
                try await alice("sync")
                try await tablet("sync")
                #expect(try await !tablet("lists").contains("unread"))
                try await bob("add", "gin")
                try await alice("sync")
                try await tablet("sync")
                return service.port
            }
            // Reading and counting work without the service.
            #expect(try await alice("lists").contains("1 unread"))
            try await alice("show")
            #expect(try await !alice("lists").contains("unread"))
            #expect(try await tablet("lists").contains("1 unread"))
            try await RunningService.run(dataDirectory: "\(directory)/data", port: port) { _ in
                try await alice("sync")
                try await tablet("sync")
                #expect(try await !tablet("lists").contains("unread"))
            }
        }
    }
}
