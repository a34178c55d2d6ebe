import FoundationEssentials
import Subprocess
import Testing

/// What an operator's cron and an operator's hands run.
@Suite("Operating", .serialized)
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
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
    }

    @Test("compress says in one JSON document what it did; epoch shows the present one and begins another")
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
