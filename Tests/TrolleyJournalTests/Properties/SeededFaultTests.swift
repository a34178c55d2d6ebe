#if SeededFaults
    import Testing

    @testable import TrolleyJournal

    /// Tests the properties themselves: each seeded fault must violate one.
    @Suite("Seeded faults", .timeLimit(.minutes(60)))
    struct SeededFaultTests {
        @Test("Every seeded fault is caught by a property")
        func everyFaultIsCaught() async throws {
            let run = PropertyRun.current
            // The rarest fault shows in about one of 1,700 journals. It must not be missed by chance.
            let seeds = run.seed..<(run.seed &+ 3 &* run.count)
            var caught = 0
            for fault in SeededFault.allCases {
                let catcher = try await onOwnThread {
                    SeededFault.$seeded.withValue(fault) { SeededFaultTests.firstRefutedProperty(in: seeds) }
                }
                guard let catcher else {
                    Issue.record("\(fault) was not caught (TROLLEY_PROPERTY_SEED=\(run.seed))")
                    continue
                }
                caught += 1
                print("fault \(fault): caught after \(catcher.journals) journals: \(catcher.property.name)")
            }
            print("faults caught: \(caught) of \(SeededFault.allCases.count)")
        }

        @Test("A failing journal is shrunk to the entries that it takes")
        func shrinking() async throws {
            let property = Property.compressionShowsTheSame
            let found = try await onOwnThread {
                SeededFault.$seeded.withValue(.noNewAnchors) {
                    property.counterexample(seeds: 1..<5_000).map(property.shrink).map { ($0, property.refute($0)) }
                }
            }
            let (smallest, refutation) = try #require(found)
            #expect(refutation != nil)
            // Two items that stay, one between them, and the entry that finishes that one.
            #expect(smallest.entries.count <= 5, "\(smallest.vectorText)")
        }

        private static func firstRefutedProperty(
            in seeds: Range<UInt64>
        ) -> (property: Property, journals: UInt64)? {
            for seed in seeds {
                let journal = JournalCase.random(seed: seed)
                if let property = Property.all.first(where: { $0.refute(journal) != nil }) {
                    return (property, seed &- seeds.lowerBound &+ 1)
                }
            }
            return nil
        }
    }
#endif
