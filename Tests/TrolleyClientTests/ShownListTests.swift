import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// What a list shows: folds that are kept, what came while nobody looked, and the rows of a user interface.
@Suite struct ShownListTests {
    let directory = TemporaryDirectory()
    let list: ListID = Samples.id()

    private func confirmed(_ entry: JournalEntry, _ sequence: Int64, at time: Int64) -> Change {
        let at = Samples.time(time).wall
        return Change(
            sequence: SequenceNumber(rawValue: sequence),
            body: .entry(
                ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: sequence), author: Samples.id(),
                    device: Samples.id(), madeAt: at, receivedAt: at)))
    }

    private func response(
        _ changes: [Change], token: String, snapshot: Bool = false, digest: StateDigest? = nil
    ) -> AllChangesResponse {
        let page = ChangesPage(changes: changes, token: token, moreComing: false, snapshot: snapshot, digest: digest)
        return AllChangesResponse(lists: [AllChangesResponse.List(id: list, page: page)])
    }

    @Test func `what one program changes, another that has the list in memory shows`() async throws {
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

    @Test func `what came and was finished while nobody looked is not shown, if it is older than three hours`()
        async throws
    {
        let store = try SQLiteStore(directory: directory.path)
        let hour: Int64 = 3_600_000
        let (milk, jam, tea, rice) = (Samples.add("milk"), Samples.add("jam"), Samples.add("tea"), Samples.add("rice"))
        _ = try await store.receive(
            response([confirmed(milk, 1, at: 0)], token: "a", snapshot: true), at: Samples.time(hour).wall)
        try await store.apply(in: list, shopping: false)
        let changes = [
            // Seen before: it is struck through, in sight.
            confirmed(Samples.markOff(try #require(milk.item)), 2, at: hour),
            // Came and went.
            confirmed(jam, 3, at: hour), confirmed(Samples.markOff(try #require(jam.item)), 4, at: 2 * hour),
            // Came and went just now.
            confirmed(tea, 5, at: 2 * hour), confirmed(Samples.markOff(try #require(tea.item)), 6, at: 8 * hour),
            confirmed(rice, 7, at: 2 * hour),
        ]
        _ = try await store.receive(response(changes, token: "b"), at: Samples.time(10 * hour).wall)
        try await store.apply(in: list, shopping: false)
        #expect(Set(try await store.state(of: list).items.map(\.text)) == ["milk", "tea", "rice"])
        #expect(try await store.toApply(in: list).isEmpty)
        #expect(try await store.summaries(of: list).first?.markedOff == 2)

        // Whoever wants it again brings it back, with all that was known of it.
        let unmark = JournalEntry(id: Samples.id(), operation: .unmark, item: jam.item, deviceSequence: 1)
        _ = try await store.receive(
            response([confirmed(unmark, 8, at: 9 * hour)], token: "c"), at: Samples.time(10 * hour).wall)
        try await store.apply(in: list, shopping: false)
        #expect(try await store.state(of: list).items.first { $0.id == jam.item }?.text == "jam")
        // And from then on it is an item like any other.
        let off = Samples.markOff(try #require(jam.item))
        _ = try await store.receive(
            response([confirmed(off, 9, at: 9 * hour)], token: "d"), at: Samples.time(30 * hour).wall)
        try await store.apply(in: list, shopping: false)
        #expect(try await store.state(of: list).items.first { $0.id == jam.item }?.markedOff == true)
    }

    @Test func `while shopping nobody is told of what came and was finished`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let hour: Int64 = 3_600_000
        let (jam, rice) = (Samples.add("jam"), Samples.add("rice"))
        try await store.addList(list)
        try await store.setShopping(true, in: list)
        let changes = [
            confirmed(jam, 1, at: 0), confirmed(Samples.markOff(try #require(jam.item)), 2, at: 0),
            confirmed(rice, 3, at: 0),
        ]
        _ = try await store.receive(response(changes, token: "a", snapshot: true), at: Samples.time(4 * hour).wall)
        try await store.apply(in: list, shopping: true)
        #expect(try await store.toApply(in: list).map(\.entry) == [rice])
        #expect(try await store.state(of: list).items.isEmpty)
    }

    @Test func `a digest that differs lets go of the token; one that doesn't, or isn't told, changes nothing`()
        async throws
    {
        let store = try SQLiteStore(directory: directory.path)
        let milk = confirmed(Samples.add("milk"), 1, at: 0)
        guard case .entry(let entry) = milk.body else { return }
        let digest = ListState(folding: [entry]).digest
        let now = Samples.time().wall
        var receipt = try await store.receive(response([milk], token: "a", snapshot: true, digest: digest), at: now)
        #expect(receipt.differing == 0)
        // What waits to be applied counts, what is unsent does not.
        _ = try await store.append([Samples.add("own")], to: list, made: Samples.time())
        receipt = try await store.receive(response([], token: "a", digest: digest), at: now)
        #expect(receipt.differing == 0)
        #expect(try await store.standing().lists.first?.token == "a")
        receipt = try await store.receive(response([], token: "a", digest: ListState().digest), at: now)
        #expect(receipt.differing == 1)
        #expect(try await store.standing().lists.first?.token == nil)
        #expect(try await store.waiting(in: list, limit: 9).count == 1, "what is unsent stays")
    }

    @Test func `rows come as changes that lead from what was shown to what is`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        var rows: [Item] = []
        var updates = device.rows(of: list).makeAsyncIterator()
        #expect(try await updates.next()?.changes == [], "nothing is there")
        let (milk, eggs): (ItemID, ItemID) = (device.identifier(), device.identifier())
        let edits: [[ListEdit]] = [
            [.add(milk, ["text": "milk"], .bottom), .add(eggs, ["text": "eggs"], .bottom)],
            [.edit(milk, ["quantity": "2"])], [.move(eggs, .top)], [.markOff(milk)], [.delete(eggs)],
        ]
        var kinds: [String] = []
        for edits in edits {
            try await device.perform(edits, on: list)
            let state = try await device.state(of: list)
            // A transaction may be told of twice, and the second time nothing is new; never is one left out.
            while rows != state.items {
                guard let update = try await updates.next() else { return }
                for change in update.changes {
                    rows.apply(change)
                    kinds.append(String("\(change)".prefix { $0 != "(" }))
                }
                #expect(update.state.items == rows)
            }
        }
        #expect(kinds == ["inserted", "inserted", "changed", "moved", "changed", "removed"])
        await device.close()
    }

    @Test func `whoever watches sees at once that something is queued, and what became of it`() async throws {
        let clock = TestClock()
        let device = try Device(directory: directory.path, clock: { clock.now })
        let list = try await device.makeList(named: "Shop")
        try await device.store.signIn(
            Session(
                // Nobody listens there.
                server: "http://127.0.0.1:1", token: "secret", account: Samples.id(), email: "a@example.com", name: "A",
                device: Samples.id()))
        var progress = try await device.progress().makeAsyncIterator()
        #expect(await progress.next() == .queued(1))
        try await device.perform([.rename("Party")], on: list)
        #expect(await progress.next() == .queued(2))
        let report = try await device.sync(.ownChange)
        let nextTry = try #require(report.nextTry)
        #expect(await progress.next() == .waiting(until: nextTry, queued: 2))
        #expect(report.outcome == .failed && report.requests == 1)
        await device.close()
    }

    @Test func `a refused change can be made again with less, or be kept in a list of one's own`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        let (milk, eggs): (ItemID, ItemID) = (device.identifier(), device.identifier())
        let made = try await device.perform(
            [
                .add(milk, ["text": "milk", "note": "far too long"], .bottom), .add(eggs, ["text": "eggs"], .bottom),
                .markOff(milk), .edit(device.identifier(), ["text": "somebody else's jam"]),
            ], on: list)
        try await device.store.settle(
            made.map { Verdict(entry: $0.id, outcome: .rejected(.limitExceeded, nil)) }, in: list,
            at: Samples.time().wall)
        #expect(try await device.retryRejected(made[1].id, fields: ["text": "egg"]))
        #expect(try await device.state(of: list).items.map(\.text) == ["egg"])
        #expect(try await !device.retryRejected(made[1].id), "it was made again already")
        let own = try #require(try await device.makeList(named: "Kept", fromRejectedOf: list))
        let kept = try await device.state(of: own)
        #expect(
            kept.items.map(\.text) == ["milk", "somebody else's jam"] && kept.items.map(\.markedOff) == [true, false])
        #expect(try await device.queues().rejected.isEmpty)
        #expect(try await device.makeList(named: "Nothing", fromRejectedOf: list) == nil)
        await device.close()
    }
}
