import FoundationEssentials
import Subprocess
import Testing

/// The operator's commands, by cron and by hand.
@Suite("Operating", .serialized, .timeLimit(.minutes(20)))
struct OperatorCommandTests {
    @Test(
        "compress answers wrong use with 64",
        arguments: [
            ["--older-than", "soon"], ["--parallel", "0"], ["--parallel", "65"], ["--activity-retention", "10d"],
            ["--list", "milk"], ["--trail", "-1d"], ["--nonsense"],
        ])
    func wrongUse(arguments: [String]) async throws {
        let outcome = try await trolleyd(["compress", "--database-url", "postgresql://127.0.0.1:1/x"] + arguments)
        #expect(outcome.status == 64, "\(outcome)")
    }

    @Test("compress answers a database that is not there with 1")
    func noDatabase() async throws {
        let outcome = try await trolleyd(["compress", "--database-url", "postgresql://127.0.0.1:1/x", "--json"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(try Problem(outcome.output).error.message.contains("can't be reached"))
    }

    @Test(
        "commands that only read create no database, and fail with an error, with --json in one document",
        arguments: [
            ["doctor"], ["compress"], ["epoch"], ["diagnostics"], ["export", "--account", "a@example.com"],
            ["backup", "/tmp/trolley-no-such-backup"],
        ])
    func nothingThere(arguments: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let database = ["--data-directory", "\(directory)/data"]
            let plain = try await trolleyd(arguments + database)
            #expect(plain.status == 1 && plain.output.isEmpty)
            let json = arguments[0] == "export" ? ["--json", "--output", "\(directory)/x"] : ["--json"]
            let outcome = try await trolleyd(arguments + json + database)
            #expect(outcome.status == 1)
            #expect(try Problem(outcome.output).error.message.contains("no database in \(directory)/data"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test(
        "with --json wrong use is one document too, and help is help",
        arguments: [["compress", "--older-than", "soon"], ["serve", "--port", "70000"], ["nonsense"], ["restore"]])
    func wrongUseInJSON(arguments: [String]) async throws {
        let outcome = try await trolleyd(arguments + ["--json"])
        #expect(outcome.status == 64)
        #expect(try !Problem(outcome.output).error.message.isEmpty)
        let help = try await trolleyd(["compress", "--help", "--json"])
        #expect(help.status == 0 && help.output.hasPrefix("OVERVIEW"))
    }

    @Test("a service that was killed starts again at once while another command has its directory")
    func handover() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            try await RunningService.run(dataDirectory: data) { service in try service.killEverything() }
            // Each command recovers the database or finds the running service.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        let doctor = try await trolleyd(["epoch", "--json", "--data-directory", data])
                        #expect(doctor.status == 0, "\(doctor)")
                    }
                }
                group.addTask {
                    try await RunningService.run(dataDirectory: data) { service in
                        #expect(service.address.hasPrefix("http://127.0.0.1:"))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("compress says that it doesn't know a list, and fails")
    func unknownList() async throws {
        try await withTemporaryDirectory { directory in
            let database = ["--data-directory", directory + "/data"]
            #expect(try await trolleyd(["migrate"] + database).status == 0)
            let list = "00000000-0000-7000-8000-000000000000"
            let outcome = try await trolleyd(["compress", "--json", "--list", list] + database)
            #expect(outcome.status == 1)
            #expect(try Problem(outcome.output).error.message == "there is no list \(list)")
        }
    }

    private struct Problem: Decodable {
        struct Reason: Decodable { let message: String }
        let error: Reason

        /// - Throws: if the text is anything but one such document.
        init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }
    }

    @Test("compress reports in one JSON document; epoch shows the present epoch and begins another")
    func done() async throws {
        try await withTemporaryDirectory { directory in
            let database = ["--data-directory", directory + "/data"]
            #expect(try await trolleyd(["migrate"] + database).status == 0)
            for extra in [[], ["--dry-run"], ["--trail", "30d", "--activity-retention", "400d", "--parallel", "2"]] {
                let outcome = try await trolleyd(["compress", "--json"] + extra + database)
                #expect(outcome.status == 0)
                let summary = try JSONDecoder().decode(Summary.self, from: Data(outcome.output.utf8))
                #expect(summary.lists == 0 && summary.failed == 0 && summary.rowsRead == 0 && summary.seconds > 0)
                #expect(summary.dryRun == (extra == ["--dry-run"]))
            }
            let present = try await epoch(["epoch", "--json"] + database)
            #expect(present.reason == "begun")
            #expect(try await epoch(["epoch", "--json"] + database) == present)
            let declared = try await epoch(["epoch", "--new", "--json"] + database)
            #expect(declared.reason == "declared" && declared.epoch != present.epoch)
            #expect(try await epoch(["epoch", "--json"] + database) == declared)
        }
    }

    private struct Summary: Decodable {
        let dryRun: Bool
        let lists, examined, discarded, failed, postponed, rowsRead, trailDropped, monthsDropped: Int
        let seconds: Double
    }

    private struct EpochReport: Decodable, Equatable {
        let epoch, since, reason: String
    }

    private func epoch(_ arguments: [String]) async throws -> EpochReport {
        try JSONDecoder().decode(EpochReport.self, from: Data(try await trolleyd(arguments).output.utf8))
    }

    private func trolleyd(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let result = try await Subprocess.run(
            Programs.trolleyd, arguments: Arguments(arguments), input: .none, output: .string(limit: 1 << 20),
            error: .discarded)
        guard case .exited(let status) = result.terminationStatus else { return (-1, "killed") }
        return (status, result.standardOutput)
    }
}
