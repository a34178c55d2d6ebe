import Subprocess
import Testing

@Suite("The device log", .timeLimit(.minutes(20)))
struct DeviceLogTests {
    @Test func `says what was decided, asked, answered and waited for, and never what people wrote`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            var log = ""
            func logged(_ arguments: String...) async throws -> String {
                let answer = try await anna.run(arguments + ["--log", "trace"])
                log += answer.errors
                return answer.errors
            }
            let address = try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                let began = try await logged(
                    "sign-up", service.address, "--email", "anna@example.com", "--name", "Zelda Quirk")
                #expect(began.contains("method=POST path=/v1/accounts"), "\(began)")
                _ = try await logged("new", "Marzipan")
                let added = try await logged("add", "quince")
                for part in [
                    "trigger=ownChange [TrolleyClient] sync", "[TrolleyClient] upload", "[TrolleyClient] request",
                    "status=200 [TrolleyClient] answer", "sent=1 [TrolleyClient] uploaded", "[TrolleyClient] fetch",
                    "[TrolleyClient] fetched", "[TrolleyClient] finished",
                ] {
                    #expect(added.split(separator: "\n").contains { $0.contains(part) }, "\(part): \(added)")
                }
                _ = try await logged("say", "gizmo?")
                _ = try await logged("activity")
                _ = try await logged("edit", "quince", "--note", "yellow teal")
                return service.address
            }
            let away = try await logged("sync")
            #expect(
                away.contains("none=") && away.contains("failure=unreachable") && away.contains("nextTry="), "\(away)")
            for text in [
                "quince", "Marzipan", "gizmo", "yellow", "anna@example.com", "Zelda", "correct horse", "Bearer",
            ] {
                #expect(!log.contains(text), "\(text)")
            }
            #expect(!address.isEmpty && !log.contains("trolley_"), "no token")
        }
    }

    @Test func `a level that there isn't is refused, and without one there is no log`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/device")
            let wrong = try await device.run("lists", "--log", "loud")
            #expect(wrong.status == .exited(64) && wrong.errors.contains("debug"), "\(wrong)")
            #expect(try await device.run("lists").errors.isEmpty)
            let result = try await Subprocess.run(
                Programs.trolley, arguments: ["lists"],
                environment: .inherit.updating(["TROLLEY_HOME": device.home, "LC_ALL": "C", "TROLLEY_LOG": "loud"]),
                input: .none,
                output: .discarded, error: .string(limit: 1 << 16))
            #expect(result.terminationStatus == .exited(64))
            #expect(result.standardError.contains("TROLLEY_LOG must be one of"), "\(result.standardError)")
            let debugged = try await Subprocess.run(
                Programs.trolley, arguments: ["sync"],
                environment: .inherit.updating(["TROLLEY_HOME": device.home, "LC_ALL": "C", "TROLLEY_LOG": "debug"]),
                input: .none,
                output: .discarded, error: .string(limit: 1 << 16))
            #expect(debugged.standardError.contains("[TrolleyClient] no sync"), "\(debugged.standardError)")
        }
    }
}
