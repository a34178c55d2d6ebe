import Testing
import TrolleyJournal

@Suite("Nonsense", .timeLimit(.minutes(20)))
struct ExtremeValueTests {
    @Test("numbers at the limits of their range are harmless")
    func extremes() {
        var entries: [ConfirmedEntry] = []
        for (number, operation) in (Operation.allCases + Operation.allCases).enumerated() {
            for extreme in [Int64.min, 0, .max] {
                var entry = ConfirmedEntry.sample(number * 3 + entries.count, operation, 1, after: 1)
                entry.sequence = SequenceNumber(rawValue: extreme)
                entry.madeAt = Timestamp(milliseconds: extreme)
                entry.receivedAt = Timestamp(milliseconds: extreme)
                entry.entry.deviceSequence = extreme
                entries.append(entry)
            }
        }
        let pending = entries.map { PendingEntry(entry: $0.entry, madeAt: $0.madeAt) }
        _ = ListState(folding: entries, pending: pending).digest
        for cutOff in [Int64.min, 0, .max] {
            let cutOff = Timestamp(milliseconds: cutOff)
            let compression = Compression(of: entries, olderThan: cutOff)
            let live = compression.applied(to: entries)
            #expect(Compression(of: live, olderThan: cutOff).isEmpty)
            var resolver = AppendResolver(activity: entries, live: live)
            for entry in entries { _ = resolver.resolve(entry) }
        }
        var timeline = Timeline(entries)
        _ = timeline.restoration(through: SequenceNumber(rawValue: .min), pending: pending)
        _ = UndoLog(of: .sample(1), replaying: entries, pending: pending).planUndo(over: ListFold(folding: entries))
        _ = ReplayCompleteness(of: entries, until: Timestamp(milliseconds: .max), devices: [])
    }
}
