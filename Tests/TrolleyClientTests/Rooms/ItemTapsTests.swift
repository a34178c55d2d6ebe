import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySyncTesting

/// What taps on a list's items mean (decision 3001).
@Suite(.timeLimit(.minutes(20))) struct ItemTapsTests {
    private let milk: ItemID = Samples.id()
    private let start = ContinuousClock.now

    /// What taps mean, one after the other, when the list has shown these states of the milk.
    private func edits(shown states: [Bool], tappedAfter times: [Duration]) -> [ListEdit] {
        var taps = ItemTaps()
        for state in states { show(state, to: &taps) }
        return times.map { taps.tap(milk, at: start.advanced(by: $0)) }
    }

    private func show(_ markedOff: Bool, to taps: inout ItemTaps) {
        taps.show([Item(id: milk, markedOff: markedOff, fields: ["text": "milk"])], at: start)
    }

    @Test func `a tap just after somebody else's mark confirms it, and another tap is meant`() {
        let times: [Duration] = [.milliseconds(999), .milliseconds(999)]
        #expect(edits(shown: [false, true], tappedAfter: times) == [.markOff(milk), .unmark(milk)])
    }

    @Test func `after a second, a tap wants the item again`() {
        #expect(edits(shown: [false, true], tappedAfter: [ItemTaps.moment]) == [.unmark(milk)])
    }

    @Test func `a mark that was there already is taken back by a tap`() {
        #expect(edits(shown: [true], tappedAfter: [.zero]) == [.unmark(milk)])
        #expect(edits(shown: [true, true], tappedAfter: [.zero]) == [.unmark(milk)])
    }

    @Test func `a mark of one's own is taken back by a tap, though something else changes before it is stored`() {
        var taps = ItemTaps()
        show(false, to: &taps)
        var made = [taps.tap(milk, at: start)]
        show(false, to: &taps)
        show(true, to: &taps)
        made.append(taps.tap(milk, at: start))
        #expect(made == [.markOff(milk), .unmark(milk)])
    }

    @Test func `of fast taps each takes the one before back, before the list shows any`() {
        let made = edits(shown: [false], tappedAfter: [.zero, .zero, .zero])
        #expect(made == [.markOff(milk), .unmark(milk), .markOff(milk)])
    }

    @Test func `somebody else's mark is confirmed, also after taps of which the list showed nothing`() {
        var taps = ItemTaps()
        show(false, to: &taps)
        _ = taps.tap(milk, at: start)
        _ = taps.tap(milk, at: start)
        show(false, to: &taps)
        show(true, to: &taps)
        let edit = taps.tap(milk, at: start)
        #expect(edit == .markOff(milk))
    }

    @Test func `a mark that has gone again is not confirmed`() {
        let made = edits(shown: [false, true, false], tappedAfter: [.zero, .zero])
        #expect(made == [.markOff(milk), .unmark(milk)])
    }
}
