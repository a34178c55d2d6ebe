import Testing
import TrolleyJournal

@Suite("What a person did, as counts", .timeLimit(.minutes(20)))
struct ChangeTallyTests {
    private func tally(_ changes: [(Operation, Int?)]) -> ChangeTally {
        var tally = ChangeTally()
        for (operation, item) in changes { tally.count(operation, of: item.map { .sample($0) }) }
        return tally
    }

    /// The counts that are not 0, by name.
    private func counts(_ changes: (Operation, Int?)...) -> [String: Int] {
        let tally = tally(changes)
        let counts = [
            "added": tally.added, "edited": tally.edited, "markedOff": tally.markedOff, "unmarked": tally.unmarked,
            "deleted": tally.deleted, "moved": tally.moved, "list": tally.listChanges,
            "messages": tally.messages,
        ].filter { $0.value != 0 }
        #expect(tally.isEmpty == counts.isEmpty)
        return counts
    }

    @Test("each item counts once for each kind of change")
    func kinds() {
        #expect(
            counts((.add, 1), (.add, 2), (.markOff, 3), (.delete, 4)) == ["added": 2, "markedOff": 1, "deleted": 1])
        #expect(counts((.edit, 1), (.edit, 1), (.move, 1), (.unmark, 1)) == ["edited": 1, "moved": 1, "unmarked": 1])
        #expect(counts((.renameList, nil), (.recolourList, nil)) == ["list": 2])
        #expect(counts() == [:])
    }

    @Test("written messages count, on the list and on items; what is about messages doesn't")
    func messages() {
        #expect(counts((.message, nil), (.message, 1), (.markOff, 1)) == ["messages": 2, "markedOff": 1])
        #expect(
            counts(
                (.deleteMessage, nil), (.react, nil), (.unreact, nil), (.pin, nil), (.unpin, nil), (.unknown, 1))
                == [:])
    }

    @Test("an item that the person adds, edits and moves is added; marking it off counts, too")
    func own() {
        #expect(counts((.add, 1), (.edit, 1), (.move, 1)) == ["added": 1])
        #expect(counts((.add, 1), (.markOff, 1)) == ["added": 1, "markedOff": 1])
    }

    @Test("what the person took back is no news")
    func takenBack() {
        #expect(counts((.add, 1), (.delete, 1)) == [:])
        #expect(counts((.add, 1), (.markOff, 1), (.edit, 1), (.delete, 1)) == [:])
        #expect(counts((.markOff, 1), (.unmark, 1)) == [:])
        #expect(counts((.unmark, 1), (.markOff, 1)) == [:])
        #expect(counts((.markOff, 1), (.unmark, 1), (.markOff, 1)) == ["markedOff": 1])
        #expect(counts((.edit, 1), (.delete, 1)) == ["deleted": 1])
        #expect(counts((.delete, 1), (.edit, 1)) == ["edited": 1])
        #expect(counts((.delete, 1), (.unmark, 1)) == ["unmarked": 1])
    }
}
