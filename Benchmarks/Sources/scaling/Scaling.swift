import TrolleyJournal
import Workload

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#endif

/// Prints how fold and compression grow with the journal, as the table of docs/benchmarks/journal.md.
@main
struct Scaling {
    static func main() {
        print("| entries | fold, ms | compress, ms | entry, bytes | fold, bytes an entry |")
        print("|--:|--:|--:|--:|--:|")
        let sizes = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let rows = (sizes.isEmpty ? [1_000, 10_000, 100_000, 1_000_000] : sizes).map { Row(count: $0) }
        for row in rows { print(row.text) }
        if let first = rows.first, let last = rows.last {
            let decades = log10(Double(last.count) / Double(first.count))
            print("exponent of the fold: \(log10(last.fold / first.fold) / decades)")
            print("exponent of compression: \(log10(last.compression / first.compression) / decades)")
        }
        guard sizes.isEmpty else { return }
        applyOne()
        replay()
        Worst.print([1_000, 10_000, 100_000])
        Worst.printReactions([10_000, 20_000])
    }

    /// One entry onto a list of 1,000 wanted items.
    private static func applyOne() {
        var household = Household(openItems: 1_000)
        var fold = ListFold()
        while fold.state.items.count(where: { !$0.markedOff }) < 1_000 {
            for _ in 0..<200 { fold.apply(household.next()) }
        }
        let entries = (0..<100_000).map { _ in household.next() }
        let time = milliseconds { for entry in entries { fold.apply(entry) } }
        print("apply one entry to a list of 1,000 items: \(time * 1000 / Double(entries.count)) µs")
    }

    private static func replay() {
        let journal = Household.journal(of: 100_000)
        var timeline = Timeline(journal)
        var slowest = 0.0
        for step in 0..<50 {
            let sequence = SequenceNumber(rawValue: Int64(step * 37_117 % 100_000))
            slowest = max(slowest, milliseconds { _ = timeline.state(through: sequence) })
        }
        print("slowest of 50 jumps in a replay of 100,000 changes: \(slowest) ms")
    }

    /// The processor's time, not the clock's, so that other programs don't count.
    static func milliseconds(_ body: () -> Void) -> Double {
        let before = clock()
        body()
        return Double(clock() - before) * 1000 / Double(CLOCKS_PER_SEC)
    }

    /// Resident memory of this process, in bytes.
    static var residentBytes: Int {
        #if os(Linux)
            let statm = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        #else
            return 0
        #endif
    }
}

/// The measurement of one size: the best of several runs, in the processor's time.
struct Row {
    let count: Int
    let fold: Double
    let compression: Double
    let entryBytes: Int
    let foldBytes: Int

    init(count: Int) {
        self.count = count
        let before = Scaling.residentBytes
        let journal = Household.journal(of: count)
        entryBytes = (Scaling.residentBytes - before) / count
        let beforeFold = Scaling.residentBytes
        let kept = ListFold(folding: journal)
        foldBytes = (Scaling.residentBytes - beforeFold) / count
        withExtendedLifetime(kept) {}
        let cutOff = journal[count * 9 / 10].receivedAt
        let runs = count > 100_000 ? 3 : 15
        fold = Row.best(runs) { _ = ListFold(folding: journal) }
        compression = Row.best(runs) { _ = Compression(of: journal, olderThan: cutOff) }
    }

    var text: String { "| \(count) | \(fold) | \(compression) | \(entryBytes) | \(foldBytes) |" }

    private static func best(_ runs: Int, _ body: () -> Void) -> Double {
        (0..<runs).map { _ in Scaling.milliseconds(body) }.min() ?? 0
    }
}
