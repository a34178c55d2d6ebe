import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// A list's history as typed steps.
@Suite(.timeLimit(.minutes(20))) struct ListReplayTests {
    let directory = TemporaryDirectory()

    @Test func `each step has its entry, its author, and the list before and after`() async throws {
        let device = try Device(directory: directory.path)
        let list: ListID = Samples.id()
        let (ann, ben): (AccountID, AccountID) = (Samples.id(), Samples.id())
        let milk: ItemID = Samples.id()
        let made: [(JournalEntry, AccountID)] = [
            (JournalEntry(id: Samples.id(), operation: .renameList, fields: ["text": "Shop"], deviceSequence: 1), ann),
            (Samples.add("milk", item: milk), ann), (Samples.markOff(milk), ben),
            (
                JournalEntry(
                    id: Samples.id(), operation: .edit, item: milk, fields: ["text": "oat milk"], deviceSequence: 2),
                ben
            ),
            (JournalEntry(id: Samples.id(), operation: .delete, item: milk, deviceSequence: 3), ann),
        ]
        var changes = made.enumerated().map { index, made in
            let sequence = SequenceNumber(rawValue: Int64(index) + 2)
            let time = Timestamp(milliseconds: 1_800_000_000_000 + Int64(index) * 1000)
            return Change(
                sequence: sequence,
                body: .entry(
                    ConfirmedEntry(
                        entry: made.0, sequence: sequence, author: made.1, device: Samples.id(), madeAt: time,
                        receivedAt: time)))
        }
        let share = ShareState(participants: [
            Participant(account: ann, name: "Ann", role: .owner, status: .accepted),
            Participant(account: ben, name: "Ben", status: .accepted),
        ])
        changes.insert(Change(sequence: SequenceNumber(rawValue: 1), body: .share(share)), at: 0)
        let page = ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: true)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
        try await device.list(list).apply()

        let replay = try await device.list(list).replay(offline: true)
        let steps = Array(replay)
        #expect(replay.isOffline && replay.underestimatedCount == 5)
        #expect(steps.map(\.entry.entry.operation) == [.renameList, .add, .markOff, .edit, .delete])
        #expect(steps.map(\.authorName) == ["Ann", "Ann", "Ben", "Ben", "Ann"])
        #expect(steps.map(\.itemText) == [nil, "milk", "milk", "oat milk", "oat milk"])
        #expect(steps.map { $0.after.items.map(\.text) } == [[], ["milk"], ["milk"], ["oat milk"], []])
        #expect(steps.first?.before == ListState() && steps.first?.after.name == "Shop")
        for (step, next) in zip(steps, steps.dropFirst()) { #expect(step.after == next.before) }
        #expect(steps.last?.after == (try await device.list(list).state()))
        #expect(steps.map(\.changes.count) == [0, 1, 1, 1, 1])
        #expect(Array(replay) == steps, "it can be played again")
        #expect(replay.first { $0.entry.entry.operation == .markOff }?.after.items.first?.markedOff == true)
        await device.close()
    }
}
