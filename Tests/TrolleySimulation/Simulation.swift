/// Runs scenarios.
package enum Simulation {
    /// The result of a seed, or of a scenario.
    package struct Outcome: Sendable {
        package var scenario: Scenario
        /// The promises that were broken; empty: none.
        package var violations: [String]
        package var coverage: Coverage
        package var fingerprint: Fingerprint
        package var rounds: Int
    }

    package static func run(_ scenario: Scenario, defect: Defect? = nil) -> Outcome {
        let world = World(scenario, defect: defect)
        world.run()
        return Outcome(
            scenario: scenario, violations: world.failures, coverage: world.coverage, fingerprint: world.fingerprint,
            rounds: world.rounds)
    }

    /// What happens, line by line.
    package static func trace(_ scenario: Scenario, defect: Defect? = nil) -> String {
        let world = World(scenario, defect: defect, tracing: true)
        world.run()
        return world.trace
    }

    /// The first seed that finds the defect.
    package static func firstSeed(finding defect: Defect, among seeds: Range<UInt64>) -> (
        seed: UInt64, promise: String
    )? {
        for seed in seeds {
            let outcome = run(Scenario(seed: seed), defect: defect)
            if let violation = outcome.violations.first { return (seed, violation) }
        }
        return nil
    }

    /// The fewest steps that break the same promise: leaves out steps, more at once at first, as long as any can be left out
    /// (Zeller, Hildebrandt: "Simplifying and Isolating Failure-Inducing Input").
    package static func shrink(_ scenario: Scenario, defect: Defect? = nil) -> Scenario {
        func promise(_ scenario: Scenario) -> Substring? {
            run(scenario, defect: defect).violations.first?.prefix { $0 != ":" }
        }
        guard let broken = promise(scenario) else { return scenario }
        var scenario = scenario
        var size = max(1, scenario.steps.count / 2)
        while true {
            var hasShrunk = false
            var start = 0
            while start < scenario.steps.count {
                var shorter = scenario
                shorter.steps.removeSubrange(start..<min(start + size, scenario.steps.count))
                if promise(shorter) == broken {
                    scenario = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { break }
            size = max(1, size / 2)
        }
        return scenario
    }
}
