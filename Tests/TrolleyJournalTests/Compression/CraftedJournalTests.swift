import Testing

@testable import TrolleyJournal

/// The bounds of docs/benchmarks/journal.md ('Crafted journals').
@Suite("Journals that were crafted to be expensive", .timeLimit(.minutes(20)))
struct CraftedJournalTests {
    @Test(
        "a compression in steps has at most eight new anchors for each entry; where more were needed, steps are larger")
    func anchors() {
        func steps(_ count: Int) -> (largest: Int, anchors: Int) {
            let journal = Crafted.turnedRun(of: count)
            let steps = Compression(of: journal, olderThan: Crafted.cutOff).steps(of: 100, in: journal)
            return (
                steps.map(\.discarded.count).max() ?? 0, steps.reduce(0) { $0 + $1.anchors.count }
            )
        }
        let (short, long) = (steps(1000), steps(10_000))
        #expect(short.largest <= 100 && short.anchors <= 8 * 1000, "\(short)")
        #expect(long.anchors > 4 * 10_000, "this list isn't expensive any more: \(long)")
        #expect(long.largest > 100 && long.anchors <= 8 * 10_000, "\(long)")
    }

    #if SeededFaults
        @Test("ten times as many entries take a compression at most fifteen times as many steps of work")
        func compression() {
            func work(_ count: Int, _ journal: [ConfirmedEntry]) -> Int {
                WorkCounter.steps {
                    let compression = Compression(of: journal, olderThan: Crafted.cutOff)
                    #expect(compression.anchors.count == count / 4)
                }
            }
            let (short, long) = (work(2000, Crafted.run(of: 2000)), work(20_000, Crafted.run(of: 20_000)))
            print("compressing a crafted run: \(short) and \(long) steps of work")
            #expect(short > 2000 && long <= 15 * short)
        }

        @Test("an upload that names compressed items takes the same work in a longer Activity")
        func upload() {
            func work(_ count: Int) -> Int {
                let journal = Crafted.run(of: count)
                let live = Compression(of: journal, olderThan: Crafted.cutOff).applied(to: journal)
                let changes = Crafted.changes(400, to: count)
                return WorkCounter.steps {
                    var resolver = AppendResolver(activity: journal, live: live, resolving: changes.map(\.entry))
                    let restored = changes.reduce(0) { $0 + resolver.resolve($1).restored.count }
                    #expect(restored >= 200)
                }
            }
            let (short, long) = (work(2000), work(20_000))
            print("resolving 400 entries: \(short) and \(long) steps of work")
            // Each entry walks past at most the 800 items that 400 entries can name.
            #expect(short > 400 && long <= 400 * 800)
        }
    #endif
}
