import FoundationEssentials
import Subprocess
import Testing

@Suite(.timeLimit(.minutes(20))) struct LocalListTests {
    @Test func `a list made before signing in is shared whole, though sharing it is killed again and again`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            let groceries = (1...300).map { "grocery \($0)" }
            try await alice("new", "Weekly shop", "--local")
            try await alice("add", "-", input: groceries.joined(separator: "\n"))
            let before = try await alice.show()
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                #expect(try await alice("lists").contains("on this device alone"), "signing in doesn't publish it")
                // Each time a little later: before the list is created, while its entries are sent, after everything is
                // sent.
                for milliseconds in [1, 50, 100, 200, 400, 800] {
                    let killed = try await Subprocess.run(
                        .name("timeout"),
                        arguments: [
                            "-s", "KILL", "\(Double(milliseconds) / 1000)", "\(Programs.directory)/trolley", "share",
                            "--home", alice.home,
                        ], input: .none, output: .discarded, error: .discarded)
                    _ = killed
                    #expect(try await alice.show() == before, "nothing is lost or doubled here")
                }
                try await alice("share")
                try await alice("sync")
                #expect(try await alice("queue").contains("Nothing waits to be sent."))
                try await bob("sign-up", service.address, "--email", "bob@example.com", "--name", "Bob")
                let invitation = try await alice("invite", "bob@example.com", "--json")
                let link = try #require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1)
                try await bob("join", String(link))
                #expect(try await bob.show() == before, "nor there")
            }
        }
    }

    @Test func `what others wrote stays theirs on a copy of this device alone, and when that is shared again`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            let carl = CommandLineDevice(home: "\(directory)/carl")
            func join(_ device: CommandLineDevice) async throws {
                let invitation = try await alice("invite", "--json")
                try await device("join", String(try #require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1)))
            }
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob"), (carl, "Carl")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Weekly")
                try await alice("add", "milk")
                try await join(bob)
                try await bob("add", "eggs")
                try await bob("say", "from bob")
                try await alice("sync")
                try await alice("stop-sharing", "--local")
                for _ in 1...2 {
                    let activity = try await alice("activity")
                    #expect(activity.contains("Bob added 'eggs'"), "\(activity)")
                    #expect(
                        activity.contains("You added 'milk'") || activity.contains("Alice added 'milk'"), "\(activity)")
                    let messages = try await alice("messages")
                    #expect(messages.contains("Bob") && !messages.contains("Alice"), "\(messages)")
                    try await alice("sync")
                    // Then the same when it is on the service again.
                    if try await alice("lists").contains("on this device alone") { try await alice("share") }
                }
                try await join(carl)
                let activity = try await carl("activity")
                #expect(activity.contains("Bob added 'eggs'") && activity.contains("brought by Alice"), "\(activity)")
                #expect(try await carl("messages").contains("Bob"))
            }
        }
    }

    @Test func `the activity without the service says when it leaves older changes out`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            let items = (1...60).map { "item \($0)" }.joined(separator: "\n")
            try await device("new", "Weekly shop", "--local")
            try await device("add", "-", input: items)
            let alone = try await device("activity")
            #expect(alone.contains("'item 60'") && !alone.contains("'item 1'"), "\(alone)")
            #expect(alone.contains("Older changes: trolley activity --limit 100"), "\(alone)")
            let all = try await device("activity", "--limit", "100")
            #expect(all.contains("'item 1'") && !all.contains("Older changes"), "\(all)")

            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await device("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await device("share")
                try await device("sync")
            }
            let offline = try await device("activity", "--limit", "30")
            #expect(!offline.contains("'item 1'"), "\(offline)")
            #expect(offline.contains("Older changes: trolley activity --limit 60"), "\(offline)")
            #expect(try await !device("activity", "--limit", "100").contains("Older changes"))
        }
    }

    @Test func `many programs may change one home at once`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Weekly shop", "--local")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 { group.addTask { try await device("add", "item \(number)") } }
                try await group.waitForAll()
            }
            let shown = try await device("show")
            #expect((1...8).allSatisfy { shown.contains("item \($0)") })
            let queue = try await device("queue", "--json")
            let numbers = queue.matches(of: /"deviceSequence":(\d+)/).compactMap { Int($0.output.1) }
            #expect(numbers == Array(1...9), "the name and eight items, without a gap")
        }
    }

    @Test func `nothing of the service is linked into a device`() throws {
        let program = try Data(contentsOf: URL(filePath: "\(Programs.directory)/trolley"), options: .mappedIfSafe)
        for module in ["TrolleyClient", "TrolleyServer", "TrolleyStore", "TrolleyPostgres", "TrolleyCluster"] {
            // Swift mangles a module's name as its length and the name.
            let isThere = program.firstRange(of: Data("\(module.utf8.count)\(module)".utf8)) != nil
            #expect(isThere == (module == "TrolleyClient"), "\(module)")
        }
        #expect(program.firstRange(of: Data("libpq".utf8)) == nil)
    }
}
