import Foundation
import Testing
import TrolleySimulation

/// Random scenarios, each from a seed. `TROLLEY_SIMULATION_SEEDS` says how many, `TROLLEY_SEED` repeats one.
/// `Reliability/run simulation` runs a million.
@Suite(.timeLimit(.minutes(60))) struct SeedTests {
    private static let count = number("TROLLEY_SIMULATION_SEEDS") ?? 5_000
    private static let seeds = number("TROLLEY_SEED").map { $0..<($0 + 1) } ?? 0..<count

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func `no promise is broken, and every fault happens`() async {
        let outcomes = await withTaskGroup(of: (Coverage, [String]).self) { group in
            for chunk in 0..<UInt64(16) {
                group.addTask {
                    var coverage = Coverage()
                    var failures: [String] = []
                    for seed in Self.seeds where seed % 16 == chunk {
                        let outcome = Simulation.run(Scenario(seed: seed))
                        coverage.add(outcome.coverage)
                        if !outcome.violations.isEmpty { failures.append(Self.report(outcome.scenario)) }
                    }
                    return (coverage, failures)
                }
            }
            return await group.reduce(into: (coverage: Coverage(), failures: [String]())) { sum, part in
                sum.coverage.add(part.0)
                sum.failures += part.1
            }
        }
        for failure in outcomes.failures.prefix(3) { Issue.record("\(failure)") }
        #expect(outcomes.failures.isEmpty)
        if Self.seeds.count >= 5_000, Self.seeds.lowerBound == 0 { #expect(outcomes.coverage.missing.isEmpty) }
    }

    /// The fewest steps that break the promise, and what happens: for a file in Tests/Seeds/.
    private static func report(_ scenario: Scenario) -> String {
        let shrunk = Simulation.shrink(scenario)
        return "seed \(scenario.seed) breaks a promise; the fewest steps:\n\(shrunk)\n\(Simulation.trace(shrunk))"
    }

    @Test func `scenarios that once broke a promise keep it`() throws {
        let files = try SeedFiles.all()
        #expect(!files.isEmpty)
        for (name, text) in files {
            let scenario = try #require(Scenario(text), "\(name) is no scenario")
            let violations = Simulation.run(scenario).violations
            #expect(violations.isEmpty, "\(name): \(violations)")
        }
    }
}

/// The scenarios in Tests/Seeds/.
private enum SeedFiles {
    static func all() throws -> [(name: String, text: String)] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Seeds")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".seed") }
        return try names.sorted().map { ($0, try String(contentsOf: directory.appending(path: $0), encoding: .utf8)) }
    }
}
