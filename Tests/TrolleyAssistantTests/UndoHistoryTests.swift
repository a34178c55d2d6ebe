import Testing
import TrolleyAssistant
import TrolleyJournal

/// What undo takes back, from a list's Activity alone.
@Suite(.timeLimit(.minutes(5))) struct UndoHistoryTests {
    /// Undoes once, as the service does.
    @discardableResult
    private func undo(
        _ journal: inout Journal, passed: inout Set<EntryID>, retainedFrom: Timestamp? = nil
    ) throws -> ToolAnswer {
        var history = UndoHistory(of: Journal.own, passed: passed)
        // The service keeps what an item on the list is made of.
        for entry in journal.entries
        where entry.entry.operation == .add || retainedFrom.map({ entry.receivedAt >= $0 }) ?? true {
            let bytes = history.take(entry)
            #expect(bytes > 0)
        }
        let (gesture, complete) = try history.undo(
            on: Journal.list, retainedFrom: retainedFrom, names: [Journal.ann: "Ann", Journal.ben: "Ben"],
            at: journal.now)
        passed.formUnion(complete)
        let before = journal.entries.count
        journal.append(gesture.drafts, by: Journal.own)
        return try ToolAnswer(gesture.document(journal.entries[before...].map(\.entry)))
    }

    @discardableResult
    private func undo(_ journal: inout Journal, retainedFrom: Timestamp? = nil) throws -> ToolAnswer {
        var passed: Set<EntryID> = []
        return try undo(&journal, passed: &passed, retainedFrom: retainedFrom)
    }

    @Test func `each call takes a whole gesture back, the latest first, until none is left`() throws {
        var journal = Journal()
        journal.add("tea")
        let (milk, eggs, tea) = (journal.item("milk"), journal.item("eggs"), journal.item("tea"))
        journal.append(
            [
                EntryDraft(.add, item: milk, after: tea, fields: [Fields.text: "milk"]),
                EntryDraft(.add, item: eggs, after: milk, fields: [Fields.text: "eggs"]),
            ], by: Journal.own)
        journal.change(.edit, "milk", [Fields.quantity: "2 l"], by: Journal.own)
        journal.change(.markOff, "tea", by: Journal.own)
        // What others do in between stays.
        journal.add("bread")
        #expect(try undo(&journal).entries?.map(\.operation) == ["unmark"])
        #expect(journal.shown == ["tea", "milk, 2 l", "eggs", "bread"])
        try undo(&journal)
        #expect(journal.shown == ["tea", "milk", "eggs", "bread"])
        let both = try undo(&journal)
        #expect(both.entries?.map(\.operation) == ["delete", "delete"])
        #expect(both.entries?.allSatisfy { $0.cause == "undo" } == true)
        #expect(journal.shown == ["tea", "bread"])
        let none = try undo(&journal)
        #expect(none.entries?.isEmpty == true && none.skipped?.isEmpty == true && none.waiting == 0)
    }

    @Test func `what somebody else has changed since stays and is named, and the next call goes on before it`() throws {
        var journal = Journal()
        journal.add("tea", by: Journal.own)
        journal.add("milk")
        journal.change(.edit, "milk", [Fields.quantity: "2 l"], by: Journal.own)
        journal.change(.edit, "milk", [Fields.quantity: "3 l"])
        var passed: Set<EntryID> = []
        let first = try undo(&journal, passed: &passed)
        #expect(first.entries?.isEmpty == true)
        #expect(first.skipped?.map(\.what) == ["the quantity of 'milk'"] && first.skipped?[0].author == "Ben")
        #expect(journal.shown == ["tea", "milk, 3 l"])
        try undo(&journal, passed: &passed)
        #expect(journal.shown == ["milk, 3 l"])
    }

    @Test func `what the Activity may no longer know isn't guessed`() throws {
        var journal = Journal()
        journal.add("milk")
        journal.change(.edit, "milk", [Fields.quantity: "1 l"])
        let retained = journal.now
        journal.add("eggs")
        journal.change(.edit, "milk", [Fields.quantity: "2 l"], by: Journal.own)
        let failure = #expect(throws: AssistantFailure.self) { try undo(&journal, retainedFrom: retained) }
        #expect(failure?.sentence.contains("no longer keeps") == true)
        #expect(journal.shown == ["milk, 2 l", "eggs"])
        // An item's whole history is there if its beginning is.
        journal.change(.edit, "eggs", [Fields.quantity: "6"], by: Journal.own)
        try undo(&journal, retainedFrom: retained)
        #expect(journal.shown == ["milk, 2 l", "eggs"])
    }

    @Test func `what somebody else has changed since stays, also if nobody knows what was replaced`() throws {
        var journal = Journal()
        journal.add("milk")
        journal.change(.edit, "milk", [Fields.quantity: "1 l"])
        let retained = journal.now
        journal.change(.edit, "milk", [Fields.quantity: "2 l"], by: Journal.own)
        journal.change(.edit, "milk", [Fields.quantity: "3 l"])
        // Nothing would be restored, so nothing is lost, and the next call goes on before it.
        var passed: Set<EntryID> = []
        let step = try undo(&journal, passed: &passed, retainedFrom: retained)
        #expect(step.entries?.isEmpty == true && step.skipped?.map(\.what) == ["the quantity of 'milk'"])
        #expect(passed.count == 1 && journal.shown == ["milk, 3 l"])
    }

    @Test func `marks of a trip that is over stay`() throws {
        var journal = Journal()
        for text in ["milk", "eggs", "tea"] { journal.add(text) }
        for text in ["milk", "eggs", "tea"] { journal.change(.markOff, text, by: Journal.own) }
        try undo(&journal)
        #expect(journal.shown == ["[x] milk", "[x] eggs", "tea"])
        journal.change(.markOff, "tea", by: Journal.own)
        journal.now = journal.now.advanced(byMilliseconds: Trip.maxPause)
        let failure = #expect(throws: AssistantFailure.self) { try undo(&journal) }
        #expect(failure?.sentence.contains("a trip that is over, with 3 items") == true)
        #expect(journal.shown == ["[x] milk", "[x] eggs", "[x] tea"])
    }
}
