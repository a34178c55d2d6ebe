import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// The text of an app's undo button before a tap, and the parts that undo leaves unchanged.
@Suite(.timeLimit(.minutes(20))) struct UndoPreviewTests {
    let directory = TemporaryDirectory()

    @Test func `undo and redo describe their next step, and leave others' later changes unchanged`()
        async throws
    {
        let clock = TestClock()
        let device = try Device(directory: directory.path, clock: { clock.now })
        let list = try await device.makeList(named: "Shop")
        let item: ItemID = device.identifier()
        try await list.perform([.add(item, ["text": "milk"], .bottom)])
        try await list.perform([.rename("Party")])
        #expect(try await list.canUndo()?.entries.map(\.operation) == [.renameList])
        #expect(try await list.canRedo() == nil)

        // Bob, whom the device knows, renames it.
        let bob: AccountID = Samples.id()
        let rename = JournalEntry(
            id: Samples.id(), operation: .renameList, fields: ["text": "Bob's"], deviceSequence: 1)
        let later = clock.now.wall.advanced(byMilliseconds: 60_000)
        let confirmed = ConfirmedEntry(
            entry: rename, sequence: SequenceNumber(rawValue: 2), author: bob, device: Samples.id(), madeAt: later,
            receivedAt: later)
        let share = ShareState(participants: [Participant(account: bob, name: "Bob", role: .owner, status: .accepted)])
        let page = ChangesPage(
            changes: [
                Change(sequence: SequenceNumber(rawValue: 1), body: .share(share)),
                Change(sequence: SequenceNumber(rawValue: 2), body: .entry(confirmed)),
            ], token: "a", moreComing: false, snapshot: true)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [AllChangesResponse.List(id: list.id, page: page)]), at: later)
        try await list.apply()

        let skipped = [ShoppingList.Skipped(subject: .name, item: nil, author: "Bob")]
        let preview = try #require(try await list.canUndo())
        #expect(preview.entries.isEmpty && preview.skipped == skipped)
        #expect(try await list.canUndo()?.skipped == skipped, "looking changes nothing")
        #expect(try await list.revert(.undo)?.skipped == skipped)
        #expect(try await list.state().name == "Bob's")
        #expect(try await list.canUndo()?.entries.map(\.operation) == [.delete], "it counts as undone")
        #expect(try await list.undo().map(\.operation) == [.delete])
        #expect(try await list.canRedo()?.entries.map(\.operation) == [.edit])
        let known = try await list.knownActivity(limit: 9)
        #expect(known.activity.map(\.authorName) == ["Bob"] && known.next == nil)
        #expect(known.activity.map(\.itemText) == [nil], "the list's name is no item's")
        await device.close()
    }

    @Test func `an item without a text is no item`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        for text in ["", " \n"] {
            await #expect(throws: DeviceError.unusableText("an item can't be without a text")) {
                try await list.perform([.add(device.identifier(), ["text": .string(text)], .bottom)])
            }
        }
        await device.close()
    }
}
