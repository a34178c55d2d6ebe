import GRDB
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

    @Test func `the changes of a copy are numbered by their place, whichever devices made them`() async throws {
        let device = try Device(directory: directory.path)
        let list: ListID = Samples.id(), (ann, ben): (AccountID, AccountID) = (Samples.id(), Samples.id())
        // Both devices have counted from 1.
        let changes = [("milk", ann), ("eggs", ben), ("jam", ann)].enumerated().map { index, made in
            let sequence = SequenceNumber(rawValue: Int64(index) + 1)
            let time = Timestamp(milliseconds: 1_800_000_000_000 + Int64(index) * 1000)
            return Change(
                sequence: sequence,
                body: .entry(
                    ConfirmedEntry(
                        entry: Samples.add(made.0), sequence: sequence, author: made.1, device: Samples.id(),
                        madeAt: time, receivedAt: time)))
        }
        let page = ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: true)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
        try await device.list(list).apply()
        let copy = try await device.store.write { transaction in
            let id = try transaction.rekey(try transaction.list(list), at: Samples.time().wall)
            try transaction.db.execute(sql: "UPDATE list SET local = 1")
            return id
        }
        let kept = device.list(copy)
        #expect(try await kept.pendingChanges().map(\.number) == [3, 2, 1])
        #expect(try await kept.replay(to: .change(2)).state.items.count == 2)
        #expect(try await kept.restoration(to: .change(2)).restoration.preview.items.count == 2)
        #expect(try await kept.replay(to: .change(3)).state.items.count == 3)
        await #expect(throws: DeviceError.noSuchChange(4, last: 3)) { _ = try await kept.replay(to: .change(4)) }
        await device.close()
    }

    @Test func `without the service, a restoration deletes nothing that compression may have hidden`() async throws {
        let device = try Device(directory: directory.path)
        let list: ListID = Samples.id(), ann: AccountID = Samples.id()
        let (milk, bread, jam): (ItemID, ItemID, ItemID) = (Samples.id(), Samples.id(), Samples.id())
        func change(_ sequence: Int64, _ entry: JournalEntry, second: Int64) -> Change {
            let time = Timestamp(milliseconds: 1_800_000_000_000 + second * 1000)
            let confirmed = ConfirmedEntry(
                entry: entry, sequence: SequenceNumber(rawValue: sequence), author: ann, device: Samples.id(),
                madeAt: time,
                receivedAt: time)
            return Change(sequence: confirmed.sequence, body: .entry(confirmed))
        }
        func receive(_ changes: [Change], token: String, snapshot: Bool = false) async throws {
            let page = ChangesPage(changes: changes, token: token, moreComing: false, snapshot: snapshot)
            _ = try await device.store.receive(
                AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
        }
        let (added, marked) = (Samples.add("milk", item: milk), Samples.markOff(milk))
        let unmarked = JournalEntry(id: Samples.id(), operation: .unmark, item: milk, deviceSequence: 5)
        try await receive(
            [
                change(1, added, second: 1), change(2, Samples.add("bread", item: bread), second: 2),
                change(3, marked, second: 3),
            ], token: "a", snapshot: true)
        // The service discards what is finished, and brings it back when somebody wants it again.
        try await receive(
            [
                Change(
                    sequence: SequenceNumber(rawValue: 4), body: .discard(ids: [added.id, marked.id], anchors: [:])),
                change(5, added, second: 1), change(6, marked, second: 3), change(7, unmarked, second: 5),
                change(8, Samples.add("jam", item: jam), second: 6),
            ], token: "b")
        try await device.list(list).apply()

        let (then, plan) = try await device.list(list).restoration(to: .change(2), offline: true)
        #expect(then.isOffline && then.lacksEntries)
        #expect(Set(plan.preview.items.map(\.text)) == ["milk", "bread"])
        #expect(plan.drafts.filter { $0.operation == .delete }.map(\.item) == [jam])
        await device.close()
    }
}
