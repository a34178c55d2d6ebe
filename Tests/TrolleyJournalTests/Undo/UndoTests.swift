import Testing
import TrolleyJournal

@Suite("Undo and redo", .timeLimit(.minutes(20)))
struct UndoTests {
    @Test("after compression, undo of a mark restores the item, and undo of an edit of the item is skipped")
    func undoOfPurgedItem() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk"]), .sample(2, .edit, 1, ["note": "ripe"]), .sample(3, .markOff, 1),
        ]
        let log = UndoLog(of: .sample(1), replaying: entries)
        let live = Compression(of: entries, olderThan: .seconds(9)).applied(to: entries)
        #expect(live.isEmpty)
        let plan = log.planUndo(over: ListFold(folding: live))
        #expect(plan == [EntryDraft(.unmark, item: .sample(1), cause: .undo, reverts: .sample(3))])

        let undone = plan[0].entry(id: .sample(4), batch: nil, deviceSequence: 4)
        let confirmed = ConfirmedEntry(
            entry: undone, sequence: SequenceNumber(rawValue: 4), author: .sample(1), device: .sample(1),
            madeAt: .seconds(10), receivedAt: .seconds(10))
        var resolver = AppendResolver(activity: entries, live: live)
        let resolution = resolver.resolve(confirmed)
        let state = ListState(folding: resolution.restored + [resolution.entry])
        #expect(state.items == [Item(id: .sample(1), fields: ["text": "milk", "note": "ripe"])])
    }

    @Test("a gesture of many entries is undone as one, and later changes by other people stay")
    func batchWithGuard() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk"], batch: 1), .sample(2, .add, 2, ["text": "eggs"], batch: 1),
            .sample(3, .edit, 2, ["note": "free range"], device: 2),
        ]
        let plan = UndoLog(of: .sample(1), replaying: entries).planUndo(over: ListFold(folding: entries))
        #expect(plan == [EntryDraft(.delete, item: .sample(1), cause: .undo, reverts: .sample(1))])
    }

    @Test("a step that other people have decided since is reported, and then counts as done")
    func superseded() throws {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk"]), .sample(2, .renameList, nil, ["text": "Mine"]),
            .sample(3, .renameList, nil, ["text": "Theirs"], device: 2),
        ]
        let fold = ListFold(folding: entries)
        let log = UndoLog(of: .sample(1), replaying: entries)
        let step = try #require(log.nextUndo(over: fold))
        #expect(step.gesture == [entries[1].entry] && step.drafts.isEmpty)
        #expect(step.skipped == [.init(entry: entries[1].entry, subject: .name, by: .sample(3))])
        let next = UndoLog(records: log.records, passed: [.sample(2)]).nextUndo(over: fold)
        #expect(next?.gesture == [entries[0].entry] && next?.drafts.map(\.operation) == [.delete])
        #expect(next?.skipped.isEmpty == true)
    }

    @Test("a step that is superseded in part is done for the rest, and the part is reported")
    func supersededInPart() throws {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, ["text": "milk"], device: 2),
            .sample(2, .edit, 1, ["text": "oat milk", "note": "two"]),
            .sample(3, .edit, 1, ["note": "three"], device: 2),
        ]
        let step = try #require(
            UndoLog(of: .sample(1), replaying: entries).nextUndo(over: ListFold(folding: entries)))
        #expect(step.drafts.map(\.fields) == [["text": "milk"]])
        #expect(step.skipped.map(\.subject) == [.field("note")])
    }

    @Test("a new edit clears the redo stack")
    func newEditCutsRedo() {
        var undo = ConfirmedEntry.sample(2, .delete, 1)
        undo.entry.cause = .undo
        undo.entry.reverts = .sample(1)
        let undone: [ConfirmedEntry] = [.sample(1, .add, 1, ["text": "milk"]), undo]
        let log = UndoLog(of: .sample(1), replaying: undone)
        #expect(log.planRedo(over: ListFold(folding: undone)).map(\.operation) == [.edit])

        let edited = undone + [.sample(3, .add, 2, ["text": "eggs"])]
        #expect(UndoLog(of: .sample(1), replaying: edited).planRedo(over: ListFold(folding: edited)).isEmpty)
    }

    @Test("an entry that was rejected is not undone")
    func rejected() {
        let entries: [ConfirmedEntry] = [.sample(1, .renameList, nil, ["text": "Weekly"])]
        var log = UndoLog(of: .sample(1), replaying: entries)
        log.forget(.sample(1))
        #expect(log.planUndo(over: ListFold()).isEmpty)
    }
}
