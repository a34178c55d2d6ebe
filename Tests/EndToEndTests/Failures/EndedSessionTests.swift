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
                _ = try await Programs.output(
                    of: Programs.trolleyd, "accounts", "--sign-out", "anna@example.com", "--json",
                    "--data-directory", data)
                // Another process ended the session. The service notices within a second.
                while try await anna.run(["devices"]).status == .exited(0) {}

                for (command, expected) in [
                    (["activity"], "added 'eggs'"), (["participants"], "anna@example.com"),
                    (["replay", "--through", "4"], "[ ] milk"), (["restore", "--to", "4", "--preview"], "[ ] milk"),
                    (["messages"], "who goes?"),
                ] {
                    let answer = try await anna.run(command)
                    #expect(answer.status == .exited(0) && answer.output.contains(expected), "\(command): \(answer)")
                }
                for command in ["activity", "participants"] {
                    #expect(try await anna(command).contains("The service no longer knows this device."))
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
