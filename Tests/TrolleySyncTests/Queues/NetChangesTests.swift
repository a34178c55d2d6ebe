import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@Suite(.timeLimit(.minutes(20))) struct NetChangesTests {
    private func confirmed(_ entry: JournalEntry, _ sequence: Int64) -> ConfirmedEntry {
        ConfirmedEntry(
            entry: entry, sequence: SequenceNumber(rawValue: sequence), author: Samples.id(), device: Samples.id(),
            madeAt: Samples.time().wall, receivedAt: Samples.time().wall)
    }

    @Test func `discarded entries go, returning entries stay, and the last anchor counts`() {
        let (milk, bread, old) = (Samples.add("milk"), Samples.add("bread"), Samples.add("old"))
        let anchor: ItemID = Samples.id()
        let entries = [confirmed(milk, 1), confirmed(bread, 2), confirmed(milk, 4)]
        func change(_ sequence: Int64, _ body: Change.Body) -> Change {
            Change(sequence: SequenceNumber(rawValue: sequence), body: body)
        }
        let net = NetChanges([
            change(1, .entry(entries[0])), change(2, .entry(entries[1])),
            change(3, .discard(ids: [milk.id, old.id], anchors: [bread.id: anchor])),
            change(4, .entry(entries[2])),
            change(5, .discard(ids: [], anchors: [old.id: anchor, Samples.id(): nil])),
        ])
        #expect(net.entries.map(\.entry.id) == [bread.id, milk.id])
        #expect(net.entries.first?.entry.after == anchor)
        #expect(net.discarded == [old.id])
        #expect(net.anchors.count == 1 && net.anchors[old.id] == nil)
        #expect(net.last == SequenceNumber(rawValue: 5))
    }
}
