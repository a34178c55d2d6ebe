import FoundationEssentials
import Subprocess
import Testing
import TrolleySimulation

@Suite(.timeLimit(.minutes(20))) struct TraceTests {
    private static let seeds: [UInt64] = [1, 22, 333]

    @Test(arguments: seeds) func `the same seed gives the same trace, byte for byte`(seed: UInt64) {
        let trace = Simulation.trace(Scenario(seed: seed))
        #expect(trace.utf8.elementsEqual(Simulation.trace(Scenario(seed: seed)).utf8))
        #expect(trace.utf8.count > 1_000)
        #expect(Simulation.run(Scenario(seed: seed)).fingerprint == Simulation.run(Scenario(seed: seed)).fingerprint)
    }

    @Test func `seeds give different traces`() {
        #expect(Set(Self.seeds.map { Simulation.trace(Scenario(seed: $0)) }).count == Self.seeds.count)
    }

    /// Another process has other seeds for Swift's hashes, so another order of every dictionary.
    @Test(arguments: seeds) func `another process gives the same trace, byte for byte`(seed: UInt64) async throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().path + "/simulate"
        try #require(FileManager.default.isExecutableFile(atPath: path), "build simulate first")
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", "exec \"$0\" \"$@\"", path, "--trace", "\(seed)"], input: .none,
            output: .bytes(limit: 4 << 20), error: .discarded)
        #expect(result.standardOutput.elementsEqual(Simulation.trace(Scenario(seed: seed)).utf8))
    }

    @Test func `a scenario as text is the same scenario`() throws {
        let scenario = Scenario(seed: 4)
        #expect(Scenario("# a comment\n\(scenario)") == scenario)
        #expect(Scenario("devices 3\nnonsense 1 2\n") == nil)
        #expect(Scenario("devices 99\n") == nil)
    }
}
