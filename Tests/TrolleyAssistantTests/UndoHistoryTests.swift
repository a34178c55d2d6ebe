import Testing
import TrolleyAssistant
import TrolleyJournal

/// What undo takes back, from a list's Activity alone.
@Suite(.timeLimit(.minutes(20))) struct UndoHistoryTests {
    /// Undoes once, as the service does.
    @discardableResult
    private func undo(
        _ journal: inout Journal, passed: inout Set<EntryID>, naming change: EntryID? = nil, from first: Int64? = nil,
        retainedFrom: Timestamp? = nil
    ) throws -> ToolAnswer {
        var history = UndoHistory(of: Journal.own, passed: passed)
        // The service keeps what an item on the list is made of.
        for entry in journal.entries
        where entry.entry.operation == .add || retainedFrom.map({ entry.receivedAt >= $0 }) ?? true {
            let bytes = history.take(entry)
            #expect(bytes > 0)
        }
        let (gesture, complete) = try history.undo(
            change, on: Journal.list, from: first, retainedFrom: retainedFrom,
            names: [Journal.ann: "Ann", Journal.ben: "Ben"], at: journal.now)
        passed.formUnion(complete)
        let before = journal.entries.count
        journal.append(gesture.drafts, by: Journal.own)
        return try ToolAnswer(gesture.document(journal.entries[before...].map(\.entry)))
    }

    @discardableResult
    private func undo(
        _ journal: inout Journal, naming change: EntryID? = nil, from first: Int64? = nil,
        retainedFrom: Timestamp? = nil
    ) throws -> ToolAnswer {
        var passed: Set<EntryID> = []
        return try undo(&journal, passed: &passed, naming: change, from: first, retainedFrom: retainedFrom)
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

    @Test func `a change that is named is taken back once, however often the call is repeated`() throws {
        var journal = Journal()
        journal.add("tea", by: Journal.own)
        journal.append(
            ["milk", "eggs"].map { EntryDraft(.add, item: journal.item($0), fields: [Fields.text: .string($0)]) },
            by: Journal.own)
        let both = journal.entries.suffix(2).map(\.entry.id)
        let first = try undo(&journal, naming: both[0])
        #expect(first.entries?.count == 2 && first.undone == both[0] && first.change == nil)
        // By any entry of the change.
        for id in both {
            let again = try undo(&journal, naming: id)
            #expect(again.entries?.isEmpty == true && again.undone == id)
        }
        #expect(journal.shown == ["tea"])
        #expect(try undo(&journal).undone == journal.entries[0].entry.id)
        #expect(try undo(&journal).undone == nil)
    }

    @Test func `a change that is named is taken back after later ones, and must be the token's own`() throws {
        var journal = Journal()
        journal.add("tea", by: Journal.own)
        journal.add("milk", by: Journal.own)
        journal.add("eggs")
        let ids = journal.entries.map(\.entry.id)
        let early = #expect(throws: AssistantFailure.self) { try undo(&journal, naming: ids[0]) }
        #expect(early?.sentence.contains("'\(ids[1])'") == true)
        let others = #expect(throws: AssistantFailure.self) { try undo(&journal, naming: ids[2]) }
        #expect(others?.sentence.contains("no change '\(ids[2])'") == true)
        #expect(journal.shown.count == 3)
        try undo(&journal, naming: ids[1])
        try undo(&journal, naming: ids[0])
        #expect(journal.shown == ["eggs"])
    }

    @Test func `what is beyond the newest entries of the token isn't guessed`() throws {
        var journal = Journal()
        journal.add("tea", by: Journal.own)
        journal.add("milk", by: Journal.own)
        let second = journal.entries[1].entry.deviceSequence
        try undo(&journal, from: second)
        #expect(journal.shown == ["tea"])
        let failure = #expect(throws: AssistantFailure.self) { try undo(&journal, from: second) }
        #expect(failure?.sentence.contains("too many changes") == true)
        #expect(journal.shown == ["tea"])
        try undo(&journal)
        #expect(journal.shown.isEmpty)
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
