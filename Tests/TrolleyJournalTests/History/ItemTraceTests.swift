import Testing
import TrolleyJournal

@Suite("Traces of items", .timeLimit(.minutes(20)))
struct ItemTraceTests {
    private func trace(
        _ name: String, of entries: [ConfirmedEntry], pending: [PendingEntry] = []
    ) throws -> ItemTrace {
        let found = ItemTrace.traces(of: entries, pending: pending, by: .sample(9)).named(name)
        #expect(found.count == 1)
        return try #require(found.first)
    }

    @Test("an item is wanted since it was added, whatever was changed since")
    func wanted() throws {
        let trace = try trace(
            "milk",
            of: [
                .sample(1, .add, 1, ["text": "milk"], device: 2), .sample(2, .edit, 1, ["quantity": "2"], device: 3),
            ])
        #expect(trace.status == .wanted && trace.since == trace.added)
        #expect(trace.since.at == .seconds(1) && trace.since.by == .sample(2))
    }

    @Test("a mark and a deletion have the person and the time, also if an earlier change arrives later")
    func gone() throws {
        let added: ConfirmedEntry = .sample(1, .add, 1, ["text": "milk"])
        let off: ConfirmedEntry = .sample(2, .markOff, 1, device: 2, madeAt: 50)
        let late: ConfirmedEntry = .sample(3, .unmark, 1, device: 3, madeAt: 20)
        let marked = try trace("milk", of: [late, off, added])
        #expect(marked.status == .markedOff && marked.since.at == .seconds(50) && marked.since.by == .sample(2))
        let deleted = try trace("milk", of: [added, off, late, .sample(4, .delete, 1, device: 3, madeAt: 60)])
        #expect(deleted.status == .deleted && deleted.since.by == .sample(3))
    }

    @Test("an item that was deleted and edited since is wanted since the edit")
    func restored() throws {
        let trace = try trace(
            "milk",
            of: [
                .sample(1, .add, 1, ["text": "milk"]), .sample(2, .delete, 1),
                .sample(3, .edit, 1, ["note": "fresh"], device: 4), .sample(4, .edit, 1, ["note": "cold"], device: 5),
            ])
        #expect(trace.status == .wanted && trace.since.at == .seconds(3) && trace.since.by == .sample(4))
    }

    @Test("an item is found by a text that it had")
    func renamed() throws {
        let trace = try trace(
            "milk", of: [.sample(1, .add, 1, ["text": "milk"]), .sample(2, .edit, 1, ["text": "butter"], device: 2)])
        #expect(trace.text == "butter" && trace.formerTexts == ["milk"])
    }

    @Test("all items of a name are found, the latest first, and an exact text hides no other")
    func several() {
        let traces = ItemTrace.traces(of: [
            .sample(1, .add, 1, ["text": "milk"]), .sample(2, .delete, 1), .sample(3, .add, 2, ["text": "Milk"]),
            .sample(4, .add, 3, ["text": "oat milk"]), .sample(5, .add, 4, ["text": "bread"]),
        ])
        #expect(traces.named(" MILK ").map(\.id.number) == [3, 2, 1])
        #expect(traces.named("braed").isEmpty && traces.named("brea").map(\.id.number) == [4])
        #expect(traces.named("bresd").map(\.id.number) == [4], "one typing error")
        #expect(traces.named("").isEmpty)
    }

    @Test("an item of which only its purchase is known was marked off then")
    func purchase() throws {
        var purchase = Purchase(entry: .sample(7), text: "milk", at: .seconds(5))
        #expect(ItemTrace(purchase) == nil, "a purchase of an earlier version names no item")
        (purchase.item, purchase.author, purchase.added) = (.sample(1), .sample(2), .seconds(3))
        let trace = try #require(ItemTrace(purchase))
        #expect(trace.id.number == 1 && trace.text == "milk" && trace.status == .markedOff)
        #expect(trace.since.at == .seconds(5) && trace.since.by == .sample(2) && trace.added?.at == .seconds(3))
    }

    @Test("an entry that is known twice counts once, and an unconfirmed one by this person")
    func pending() throws {
        let added: ConfirmedEntry = .sample(1, .add, 1, ["text": "milk"])
        let off = PendingEntry(
            entry: JournalEntry(id: .sample(2), operation: .markOff, item: .sample(1), deviceSequence: 2),
            madeAt: .seconds(2))
        let trace = try trace("milk", of: [added, added], pending: [off])
        #expect(trace.status == .markedOff && trace.since.entry?.number == 2 && trace.since.by == .sample(9))
    }
}
