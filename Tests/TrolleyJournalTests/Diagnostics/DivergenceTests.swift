import Testing
import TrolleyJournal

@Suite("Divergences", .timeLimit(.minutes(20)))
struct DivergenceTests {
    private func entries(_ count: Int) -> [ConfirmedEntry] {
        (1...count).map { .sample($0, .add, $0, device: 1, receivedAt: $0) }
    }

    private func marks(_ entries: [ConfirmedEntry]) -> [EntryMark] {
        entries.map { EntryMark(sequence: $0.sequence, id: $0.entry.id, hash: $0.hash) }
    }

    private func through(_ last: Int) -> SequenceNumber { SequenceNumber(rawValue: Int64(last)) }

    @Test("equal entries have equal hashes, and everything that the fold reads changes the hash")
    func hashes() {
        let entry = entries(1)[0]
        var others = Array(repeating: entry, count: 6)
        others[0].madeAt = entry.madeAt.advanced(byMilliseconds: 1)
        others[1].sequence = entry.sequence.advanced(by: 1)
        others[2].entry.fields["text"] = "other"
        others[3].entry.after = .sample(9)
        others[4].entry.operation = .edit
        others[5].entry.deviceSequence += 1
        #expect(Set(([entry] + others).map(\.hash)).count == 7)
        #expect(EntryHash(entry.hash.description) == entry.hash && EntryHash("x") == nil)
        var later = entry
        later.receivedAt = entry.receivedAt.advanced(byMilliseconds: 5)
        #expect(later.hash == entry.hash, "when it arrived decides nothing of what is shown")
    }

    @Test("the first place is found, whichever side lacks an entry or has another one", arguments: 1...9)
    func first(place: Int) {
        let whole = entries(9)
        var lacking = whole
        lacking.remove(at: place - 1)
        var other = whole
        other[place - 1].entry.fields["text"] = "other"
        let id = whole[place - 1].entry.id
        for (left, right, kind) in [
            (whole, lacking, Divergence.Kind.missingRight), (lacking, whole, .missingLeft), (whole, other, .differs),
        ] {
            let found = Divergence.all(marks(left), marks(right.reversed()), through: through(9))
            #expect(found.map(\.sequence) == [through(place)] && found.map(\.kind) == [kind] && found.map(\.id) == [id])
            #expect(Divergence.firstShown(left, right, through: through(9)) == through(place))
            // Entries that one side has not received yet are not compared.
            #expect(Divergence.all(marks(left), marks(right), through: through(place - 1)).isEmpty)
            #expect(Divergence.firstShown(left, right, through: through(place - 1)) == nil)
        }
    }

    @Test("entries that compression discarded on one side only make no visible difference")
    func compressed() {
        var whole = entries(4)
        whole.append(.sample(5, .delete, 2, device: 1, receivedAt: 5))
        let compression = Compression(of: whole, olderThan: .seconds(100))
        let discarded = Set(compression.discarded.map(\.id))
        #expect(!discarded.isEmpty)
        var kept = whole.filter { !discarded.contains($0.entry.id) }
        for (id, after) in compression.anchors.map({ ($0.id, $0.after) }) {
            if let index = kept.firstIndex(where: { $0.entry.id == id }) { kept[index].entry.after = after }
        }
        #expect(!Divergence.all(marks(whole), marks(kept), through: through(9)).isEmpty)
        #expect(Divergence.firstShown(whole, kept, through: through(9)) == nil)
    }
}
