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

/// Prints how fold and compression grow with the journal, as the table of docs/performance.md.
@main
struct Scaling {
    static func main() {
        print("| entries | fold, ms | compress, ms | entry, bytes | fold, bytes an entry |")
        print("|--:|--:|--:|--:|--:|")
        let rows = [1_000, 10_000, 100_000, 1_000_000].map { Row(count: $0) }
        for row in rows { print(row.text) }
        if let first = rows.first, let last = rows.last {
            let decades = log10(Double(last.count) / Double(first.count))
            print("exponent of the fold: \(log10(last.fold / first.fold) / decades)")
            print("exponent of compression: \(log10(last.compression / first.compression) / decades)")
        }
        applyOne()
        replay()
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

    static func milliseconds(_ body: () -> Void) -> Double {
        let duration = ContinuousClock().measure(body)
        return Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
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

/// What was measured of one size: the median of several runs.
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
        let runs = count > 100_000 ? 3 : 9
        fold = Row.median(runs) { _ = ListFold(folding: journal) }
        compression = Row.median(runs) { _ = Compression(of: journal, olderThan: cutOff) }
    }

    var text: String { "| \(count) | \(fold) | \(compression) | \(entryBytes) | \(foldBytes) |" }

    private static func median(_ runs: Int, _ body: () -> Void) -> Double {
        (0..<runs).map { _ in Scaling.milliseconds(body) }.sorted()[runs / 2]
    }
}
