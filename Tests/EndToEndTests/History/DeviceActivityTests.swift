import FoundationEssentials
import Testing

/// A device's own data: sync errors, and lists on this device alone.
@Suite(.timeLimit(.minutes(20))) struct DeviceActivityTests {
    @Test func `errors of sync stand in the Activity of the device, until it is over, and so does what was refused`()
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
                try await alice("add", "milk")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                #expect(try await !alice("activity").contains("could not sync"))
                return service.port
            }
            try await alice("add", "eggs")
            _ = try await alice.run("sync")
            let offline = try await alice("activity")
            #expect(offline.contains("This device could not sync (2 tries): ") && !offline.contains("It is over."))
            try await RunningService.run(dataDirectory: "\(directory)/data", port: port) { _ in
                try await alice("sync")
                let activity = try await alice("activity")
                #expect(activity.contains("This device could not sync (2 tries): ") && activity.contains("It is over."))
                #expect(try await alice("activity", "--json").contains(#""onThisDevice":[{"at":""#))
                try await alice("permission", "bob@example.com", "read-only")
                _ = try await bob.run("add", "beer")
                #expect(try await bob("activity").contains("The service refused 'beer' (add). See: trolley queue"))
            }
        }
    }

    @Test func `a list whose sharing is stopped with --local is on its owner's device alone, and can be shared again`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let phone = CommandLineDevice(home: "\(directory)/phone")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk", "2x eggs")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                try await phone("sign-in", service.address, "--email", "alice@example.com")
                try await phone("sync")
                try await bob("add", "beer")
                #expect(try await bob.fails("stop-sharing", "--local").contains("owner"))
                #expect(
                    try await alice("stop-sharing", "--local").contains(
                        "'Party' is on this device alone now. It leaves your other devices, too."))
                let shown = try await alice("show")
                #expect(
                    shown == "Party  3 to buy\n1. [ ] milk\n2. [ ] eggs × 2\n3. [ ] beer\n",
                    "what others had added, too")
                #expect(try await alice("lists").contains("on this device alone"))
                #expect(try await bob("sync").contains("'Party' left this device."))
                try await phone("sync")
                #expect(try await phone.fails("show", "--list", "Party").contains("There is no list 'Party' here."))
                try await alice("sync")
                #expect(try await alice("lists", "--json").ranges(of: #""name":"Party""#).count == 1)
                try await alice("add", "jam")
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                #expect(try await bob.show() == alice.show())
            }
        }
    }
}
