import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// The shown list: cached folds, and the rows of a user interface.
@Suite(.timeLimit(.minutes(20))) struct ShownListTests {
    let directory = TemporaryDirectory()
    let list: ListID = Samples.id()

    @Test func `a change of one program shows in another that has the list in memory`() async throws {
        let one = try SQLiteStore(directory: directory.path)
        let other = try SQLiteStore(directory: directory.path)
        try await one.addList(list)
        for number in 0..<20 {
            let (writer, reader) = number % 2 == 0 ? (one, other) : (other, one)
            _ = try await writer.append([Samples.add("\(number)")], to: list, made: Samples.time(Int64(number)))
            for store in [reader, writer] {
                let journal = try await store.journal(of: list)
                #expect(
                    try await store.state(of: list)
                        == ListState(folding: journal.confirmed, pending: journal.pending))
            }
        }
        #expect(try await one.state(of: list).items.count == 20)
    }

    @Test func `a change that fails leaves nothing behind in memory`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        try await store.addList(list)
        let milk = Samples.add("milk")
        _ = try await store.append([milk], to: list, made: Samples.time())
        #expect(try await store.state(of: list).items.count == 1)
        await #expect(throws: QueueStoreError.self, "its id is there already") {
            _ = try await store.append([Samples.add("bread"), milk], to: list, made: Samples.time())
        }
        #expect(try await store.state(of: list).items.map(\.text) == ["milk"])
        _ = try await store.append([Samples.add("eggs")], to: list, made: Samples.time())
        #expect(try await store.state(of: list).items.count == 2)
    }

    @Test func `rows come as changes that lead from what was shown to what is`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        var rows: [ShownRow] = []
        var updates = list.rows.makeAsyncIterator()
        #expect(try await updates.next()?.changes == [], "nothing is there")
        let (milk, eggs): (ItemID, ItemID) = (device.identifier(), device.identifier())
        let edits: [[ListEdit]] = [
            [.add(milk, ["text": "milk"], .bottom), .add(eggs, ["text": "eggs"], .bottom)],
            [.edit(milk, ["quantity": "2"])], [.move(eggs, .top)], [.markOff(milk)], [.delete(eggs)],
        ]
        var kinds: [String] = []
        for edits in edits {
            try await list.perform(edits)
            let shown = try await list.shownRows()
            // A transaction may be reported twice, the second time without changes. None is left out.
            while rows != shown {
                guard let update = try await updates.next() else { return }
                for change in update.changes {
                    rows.apply(change)
                    kinds.append(String("\(change)".prefix { $0 != "(" }))
                }
                #expect(update.rows == rows)
            }
        }
        #expect(kinds == ["inserted", "inserted", "changed", "moved", "changed", "removed"])
        await device.close()
    }

    @Test func `live rows stand by aisle, and while shopping a deleted one is struck through in its place`()
        async throws
    {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        try await list.add("soap\nmilk\neggs")
        let items = try await list.state().items.map(\.id)
        var updates = list.rows.makeAsyncIterator()
        var rows: [ShownRow] = []
        /// Reads updates until the rows are those that the person sees; returns the steps.
        func steps() async throws -> [RowChange] {
            var steps: [RowChange] = []
            while try await rows != list.shownRows() {
                guard let update = try await updates.next() else { break }
                for change in update.changes { rows.apply(change) }
                steps += update.changes
            }
            return steps
        }
        _ = try await steps()
        try await list.perform([.edit(items[1], ["aisle": "Dairy"])])
        _ = try await steps()
        #expect(rows.map(\.item.text) == ["milk", "soap", "eggs"] && rows[0].aisle == "Dairy")

        try await list.setShopping(true)
        // Somebody else deletes the soap.
        let delete = ConfirmedEntry(
            entry: JournalEntry(id: Samples.id(), operation: .delete, item: items[0], deviceSequence: 1),
            sequence: SequenceNumber(rawValue: 1), author: Samples.id(), device: Samples.id(),
            madeAt: .now().advanced(byMilliseconds: 60_000), receivedAt: .now())
        let page = ChangesPage(
            changes: [Change(sequence: delete.sequence, body: .entry(delete))], token: "a", moreComing: false,
            snapshot: true)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [AllChangesResponse.List(id: list.id, page: page)]), at: .now())
        try await device.store.apply(in: list.id, shopping: true)
        let struck = ShownRow(item: rows[1].item, isStruck: true)
        var taken = try await steps()
        #expect(taken == [.changed(struck, at: 1)])
        // The person deletes the milk: its row keeps its place, too.
        try await list.perform([.delete(items[1])])
        let own = ShownRow(item: rows[0].item, isStruck: true)
        taken = try await steps()
        #expect(taken == [.changed(own, at: 0)])
        #expect(try await list.state().items.map(\.text) == ["eggs"])
        try await list.apply()
        taken = try await steps()
        #expect(taken == [.removed(at: 1), .removed(at: 0)])
        await device.close()
    }

    @Test func `while shopping an item that waits to be applied is not added again`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        try await list.setShopping(true)
        let changes = ["milk", "jam"].enumerated().map { index, text in
            let entry = ConfirmedEntry(
                entry: Samples.add(text), sequence: SequenceNumber(rawValue: Int64(index) + 1), author: Samples.id(),
                device: Samples.id(), madeAt: .now(), receivedAt: .now())
            return Change(sequence: entry.sequence, body: .entry(entry))
        }
        let page = ChangesPage(changes: changes, token: "a", moreComing: false, snapshot: true)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [AllChangesResponse.List(id: list.id, page: page)]), at: .now())
        try await device.store.apply(in: list.id, shopping: true)
        #expect(try await list.state().items.isEmpty)
        let added = try await list.add("Milk")
        #expect(added.map(\.outcome) == [.present])
        #expect(try await list.state().items.map(\.text) == ["milk"])
        #expect(try await list.toApply().count == 1)
        try await list.apply()
        #expect(try await list.state().items.map(\.text).sorted() == ["jam", "milk"])
        await device.close()
    }

    @Test func `progress shows a queued change at once, and then its result`() async throws {
        let clock = TestClock()
        let device = try Device(directory: directory.path, clock: { clock.now })
        let list = try await device.makeList(named: "Shop")
        try await device.store.signIn(
            AccountSession(
                // No service listens at this address.
                server: "http://127.0.0.1:1", token: "secret", account: Samples.id(), email: "a@example.com", name: "A",
                device: Samples.id()))
        var progress = device.status.makeAsyncIterator()
        #expect(try await progress.next() == .queued(1))
        try await list.perform([.rename("Party")])
        #expect(try await progress.next() == .queued(2))
        let report = try await device.sync(.ownChange)
        let nextTry = try #require(report.nextTry)
        #expect(try await progress.next() == .waiting(until: nextTry, queued: 2))
        #expect(report.outcome == .failed && report.requests == 1)
        await device.close()
    }

    @Test func `a refused change can be made again with less, or be kept in a list of one's own`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        let (milk, eggs): (ItemID, ItemID) = (device.identifier(), device.identifier())
        let made = try await list.perform(
            [
                .add(milk, ["text": "milk", "note": "far too long"], .bottom), .add(eggs, ["text": "eggs"], .bottom),
                .markOff(milk), .edit(device.identifier(), ["text": "somebody else's jam"]),
            ])
        try await device.store.settle(
            made.map { UploadVerdict(entry: $0.id, outcome: .rejected(.limitExceeded, nil)) }, in: list.id,
            at: Samples.time().wall)
        #expect(try await device.retryRejected(made[1].id, fields: ["text": "egg"]))
        #expect(try await list.state().items.map(\.text) == ["egg"])
        #expect(try await !device.retryRejected(made[1].id), "it was made again already")
        let own = try #require(try await device.makeList(named: "Kept", fromRejectedOf: list.id))
        let kept = try await own.state()
        #expect(
            kept.items.map(\.text) == ["milk", "somebody else's jam"] && kept.items.map(\.markedOff) == [true, false])
        #expect(try await device.queues().rejected.isEmpty)
        #expect(try await device.makeList(named: "Nothing", fromRejectedOf: list.id) == nil)
        await device.close()
    }
}
