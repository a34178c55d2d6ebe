import Glibc
import Testing
import TrolleyTestSupport

/// `who`, `notify` and the ticks of `activity`, and summaries of a service that is killed, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct SummaryCommandTests {
    @Test func `activity says how far one's changes have come, and who says it of each person`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                #expect(try await alice("who").contains("Nobody else is on 'Party'"))
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                try await bob("add", "beer")
                #expect(try await bob("activity").contains("'beer'  · on the service\n"))
                #expect(try await bob("who").contains("Alice  has seen nothing yet"))
                // The second sync confirms what the first one has stored.
                try await alice("sync")
                try await alice("sync")
                #expect(try await bob("activity").contains("'beer'  · on Alice's device\n"))
                #expect(try await bob("who").contains("on a device"))
                try await alice("show")
                try await alice("sync")
                #expect(try await bob("activity").contains("'beer'  · seen by Alice\n"))
                #expect(try await bob("activity", "--json").contains(#""delivery":[{"account""#))
                #expect(try await bob("who", "--json").contains(#""isPresent":false"#))

                #expect(try await alice("notify") == "'Party': you get summaries.\n")
                #expect(try await alice("notify", "nothing") == "'Party': you are told nothing.\n")
                #expect(try await alice("notify", "--json").contains(#""level":"nothing","summaries":[]"#))
                #expect(
                    try await bob("notify", "all")
                        == "'Party': you are told of each message and each added item at once, and get summaries.\n")
            }
        }
    }

    @Test func `a session that ends just when the service is killed is summarized once`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            let data = "\(directory)/data"
            let (port, ben, list) = try await RunningService.run(dataDirectory: data) { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await anna("new", "Party")
                try await anna("add", "cups")
                let link = try link(try await anna("invite", "ben@example.com", "--json"))
                let ben = try await BareDevice(service.address, email: "ben@example.com", name: "Ben")
                let list = try await ben.join(secret: String(link.split(separator: "#")[1]))
                try await ben.visit(list)
                kill(service.process, SIGKILL)
                return (service.port, ben, list)
            }
            try await RunningService.run(dataDirectory: data, port: port) { service in
                // If the database had to recover, it has forgotten that Ben has left. Then two minutes of silence end
                // his session.
                var told = try await eventually(every: .milliseconds(300)) {
                    try await anna("notify")
                } until: {
                    $0.contains("Ben")
                }
                #expect(told.contains("Ben added 2, wrote a message\n"))
                // Sessions are summarized in order. When the next one is, no other summary of the first one will come.
                try await ben.visit(list, adding: 3)
                told = try await eventually {
                    try await anna("notify")
                } until: {
                    $0.contains("Ben added 3")
                }
                #expect(told.ranges(of: "Ben added 2, wrote a message\n").count == 1, "once")
                #expect(try await ben.summaries().isEmpty)
                try await anna("sync")
                try await anna("show")
                try await anna("sync")
                #expect(try await !anna("notify").contains("Ben"))
            }
        }
    }
}
