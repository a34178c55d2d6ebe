import Subprocess
import Testing

@Suite("A session that has ended", .timeLimit(.minutes(20)))
struct EndedSessionTests {
    @Test func `hides nothing that the device has, and says why the answer comes from the device`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            let data = "\(directory)/data"
            try await RunningService.run(dataDirectory: data) { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await anna("new", "Weekly shop")
                try await anna("add", "milk", "eggs")
                try await anna("say", "who goes?")
                try await anna("off", "milk")
                #expect(try await anna("participants").contains("anna@example.com"))
                // Neither a person nor the operator ended it, so the service doesn't know why.
                _ = try await Programs.output(
                    of: .name("psql"), "--no-psqlrc", "--quiet", "--host", "\(data)/socket", "--username", "trolley",
                    "--command", "UPDATE device SET token_hash = NULL",
                    "--command", "UPDATE service SET sessions_ended = sessions_ended + 1", "trolley")
                // The service notices within a second.
                while try await anna.run(["devices"]).status == .exited(0) {}

                for (command, expected) in [
                    (["activity"], "added 'eggs'"), (["participants"], "anna@example.com"),
                    (["replay", "--through", "4"], "[ ] milk"), (["restore", "--to", "4", "--preview"], "[ ] milk"),
                    (["messages"], "who goes?"),
                ] {
                    let answer = try await anna.run(command)
                    #expect(answer.status == .exited(0) && answer.output.contains(expected), "\(command): \(answer)")
                }
                for command in ["activity", "participants", "messages"] {
                    #expect(try await anna(command).contains("The service no longer knows this device."))
                }
            }
        }
    }

    @Test func `lists leave a device that was signed out from another, and what it had not sent waits for the account`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let phone = CommandLineDevice(home: "\(directory)/phone")
            let desk = CommandLineDevice(home: "\(directory)/desk")
            let stranger = CommandLineDevice(home: "\(directory)/phone")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await phone("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await phone("new", "Orchard")
                try await phone("add", "milk")
                try await desk("sign-in", service.address, "--email", "anna@example.com")
                let id = try #require(
                    try await desk("devices").split(separator: "\n").first { !$0.contains("this device") }?
                        .split(separator: " ").first)
                try await desk("devices", "--sign-out", String(id))
                // A command that needs no service finds out when it sends its change.
                let added = try await phone.run(["add", "bread"])
                #expect(added.status == .exited(0), "\(added)")
                #expect(added.errors.contains("signed out from elsewhere"), "\(added)")
                #expect(added.errors.contains("1 change that was not sent waits here"), "\(added)")
                for command in ["show", "activity", "messages"] {
                    let answer = try await phone.run([command])
                    #expect(answer.status != .exited(0) && !answer.output.contains("milk"), "\(command): \(answer)")
                }
                #expect(try await phone("lists").contains("1 list of anna@example.com, with 1 unsent change"))

                // It goes to nobody else.
                try await stranger("sign-up", service.address, "--email", "ben@example.com", "--name", "Ben")
                try await stranger("sync")
                #expect(try await !stranger("lists").contains("Orchard"))
                try await stranger("sign-out")

                try await phone("sign-in", service.address, "--email", "anna@example.com")
                try await phone("sync")
                try await desk("sync")
                for device in [phone, desk] {
                    let shown = try await device("show")
                    #expect(shown.contains("milk") && shown.contains("bread"), "\(shown)")
                }
            }
        }
    }

    @Test func `the activity of a device on which nobody has signed in yet is what was made on it`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/device")
            try await device("new", "Weekly shop")
            try await device("add", "milk")
            let said = try await device("activity")
            #expect(said.contains("added 'milk'") && said.contains("Nobody is signed in on this device."), "\(said)")
        }
    }
}
