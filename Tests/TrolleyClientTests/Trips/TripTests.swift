import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Trips on a device, and the order that they teach.
@Suite(.timeLimit(.minutes(20))) struct TripTests {
    let directory = TemporaryDirectory()
    let clock = TestClock()
    private static let minute: Int64 = 60_000

    private func device() throws -> Device { try Device(directory: directory.path, clock: { [clock] in clock.now }) }

    /// Marks items off, one a minute, and lets the trip end.
    private func shop(_ texts: [String], in list: ListID, _ device: Device, isOver: Bool = true) async throws {
        for text in texts {
            clock.pass(Self.minute)
            let item = try #require(try await device.list(list).state().items.first { $0.text == text })
            try await device.list(list).perform([.markOff(item.id)])
        }
        if isOver { clock.pass(Trip.maxPause) }
    }

    @Test func `a trip of two people survives compression and a restart`() async throws {
        let device = try device()
        let list: ListID = Samples.id()
        let (ann, ben): (AccountID, AccountID) = (Samples.id(), Samples.id())
        let texts = ["milk", "eggs", "jam"]
        let items: [ItemID] = texts.map { _ in Samples.id() }
        var entries = zip(texts, items).map { (Samples.add($0, item: $1), ann, Int64(0)) }
        entries.append((Samples.markOff(items[1]), ben, 10))
        entries.append((Samples.add("soap"), ann, 11))
        entries += [(Samples.markOff(items[0]), ann, 12), (Samples.markOff(items[2]), ben, 30)]
        let share = ShareState(participants: [
            Participant(account: ann, name: "Ann", role: .owner, status: .accepted),
            Participant(account: ben, name: "Ben", status: .accepted),
        ])
        var changes = entries.enumerated().map { index, made in
            let sequence = SequenceNumber(rawValue: Int64(index) + 2)
            let entry = ConfirmedEntry(
                entry: made.0, sequence: sequence, author: made.1, device: Samples.id(),
                madeAt: clock.now.wall.advanced(byMilliseconds: made.2 * Self.minute), receivedAt: clock.now.wall)
            return Change(sequence: sequence, body: .entry(entry))
        }
        changes.insert(Change(sequence: SequenceNumber(rawValue: 1), body: .share(share)), at: 0)
        func receive(_ changes: [Change], snapshot: Bool) async throws {
            let page = ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: snapshot)
            _ = try await device.store.receive(
                AllChangesResponse(lists: [.init(id: list, page: page)]), at: clock.now.wall)
        }
        try await receive(changes, snapshot: true)
        // Marks that wait to be applied count, too.
        let trips = try await device.list(list).trips()
        #expect(trips.count == 1)
        let trip = try #require(trips.first)
        #expect(trip.picks.map(\.text) == ["eggs", "milk", "jam"] && trip.people == [ben, ann])
        #expect(trip.added.map(\.text) == ["soap"] && trip.duration == 20 * Self.minute)
        #expect(try await device.list(list).names() == [ann: "Ann", ben: "Ben"])

        try await device.list(list).apply()
        let finished = Set(items)
        let gone = entries.map(\.0).filter { $0.item.map(finished.contains) == true }.map(\.id)
        try await receive(
            [Change(sequence: SequenceNumber(rawValue: 20), body: .discard(ids: gone, anchors: [:]))], snapshot: false)
        #expect(try await device.list(list).state().items.map(\.text) == ["soap"])
        #expect(try await device.list(list).trips() == trips)
        await device.close()
        let again = try self.device()
        #expect(try await again.list(list).trips() == trips)
        await again.close()
    }

    @Test func `purchases that an earlier version stored make a trip without people`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await device.store.write { [clock] transaction in
            let row = try transaction.list(list.id)
            for (index, text) in ["milk", "eggs", "jam"].enumerated() {
                let id: EntryID = Samples.id()
                try transaction.db.execute(
                    sql: "INSERT INTO bought (list, id, at, content) VALUES (?, ?, ?, ?)",
                    arguments: [
                        row.key, id.data, clock.now.wall.milliseconds + Int64(index),
                        transaction.key.seal(
                            Array(#"{"text":"\#(text)"}"#.utf8), at: list.id.bits.bytes + id.bits.bytes),
                    ])
            }
        }
        let trip = try #require(try await list.trips().first)
        #expect(trip.picks.map(\.text) == ["milk", "eggs", "jam"] && trip.people.isEmpty && trip.added.isEmpty)
        await device.close()
    }

    @Test func `repeating a trip doubles nothing, and one undo reverts it and leaves no trip`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk, 2 l\neggs\njam\nsoap")
        try await shop(["eggs", "milk", "jam"], in: list.id, device)
        let trips = try await list.trips()
        #expect(try await list.replay(trips[0]).waitingFor == [], "no service has the list")
        // One item was deleted since, and one is wanted in another quantity.
        let items = try await list.state().items
        try await list.perform(
            [.delete(items[2].id), .unmark(items[0].id), .edit(items[0].id, ["quantity": "1 l"])])
        clock.pass(Self.minute)
        let before = try await list.state()

        let added = try await list.repeatTrip(trips[0])
        #expect(added.map(\.item.text) == ["eggs", "milk", "jam"])
        #expect(added.map(\.outcome) == [.back, .present, .added])
        let after = try await list.state()
        #expect(after.items.map(\.text) == ["milk", "eggs", "soap", "jam"] && after.items.allSatisfy { !$0.markedOff })
        #expect(after.items[0].fields["quantity"] == "1 l")
        #expect(try await list.repeatTrip(trips[0]).map(\.outcome) == [.present, .present, .present])

        try await list.undo()
        #expect(try await list.state() == before)
        #expect(try await list.trips() == trips)
        await device.close()
    }

    @Test func `undo leaves what was picked on a trip that is over, unless asked to, and goes no further back`()
        async throws
    {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\neggs\njam\nsoap")
        func marked() async throws -> [String] {
            try await list.state().items.filter(\.markedOff).map(\.text)
        }
        // Two items are no trip, however long ago.
        try await shop(["eggs", "milk"], in: list.id, device)
        clock.pass(120 * Self.minute)
        try await list.undo()
        try await list.undo()
        #expect(try await marked() == [])
        try await shop(["eggs", "milk", "jam"], in: list.id, device, isOver: false)
        try await list.undo()
        #expect(try await marked().count == 2, "the trip goes on")
        try await list.redo()
        let trip = try #require(try await list.trips().first)
        clock.pass(46 * Self.minute)
        for _ in 1...2 {
            await #expect(throws: DeviceError.tripIsOver(trip.end, items: 3)) { try await list.undo() }
            #expect(try await marked().count == 3)
            // What was done since is undone as ever.
            try await list.add("tea")
            #expect(try await list.undo().count == 1)
        }
        try await list.undo(anyway: true)
        #expect(try await marked().count == 2)
        await device.close()
    }

    @Test func `a trip that is repeated at once keeps its picks`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\neggs\njam")
        for item in try await list.state().items {
            clock.pass(3 * Self.minute)
            try await list.perform([.markOff(item.id)])
        }
        let trips = try await list.trips()
        clock.pass(Self.minute)
        // Eggs and jam were picked 4 minutes and 1 minute ago: removing their marks would make them slips.
        let added = try await list.repeatTrip(trips[0])
        #expect(added.map(\.outcome) == [.back, .added, .added])
        #expect(try await list.trips() == trips)
        #expect(try await list.state().wanted.map(\.text).sorted() == ["eggs", "jam", "milk"])
        #expect(try await list.repeatTrip(trips[0]).map(\.outcome) == [.present, .present, .present])
        await device.close()
    }

    @Test func `the list after a pick has what was made until then, also if it arrived later`() async throws {
        let device = try device()
        let list: ListID = Samples.id()
        let (ann, ben): (AccountID, AccountID) = (Samples.id(), Samples.id())
        let texts = ["milk", "eggs", "jam"]
        let items: [ItemID] = texts.map { _ in Samples.id() }
        var entries = zip(texts, items).map { (Samples.add($0, item: $1), ann, Int64(0)) }
        // Ben's mark arrives last, and was made first.
        entries += [(Samples.markOff(items[0]), ann, 12), (Samples.markOff(items[2]), ann, 30)]
        entries += [(Samples.add("soap"), ann, 31), (Samples.markOff(items[1]), ben, 10)]
        let changes = entries.enumerated().map { index, made in
            let sequence = SequenceNumber(rawValue: Int64(index) + 1)
            let entry = ConfirmedEntry(
                entry: made.0, sequence: sequence, author: made.1, device: Samples.id(),
                madeAt: clock.now.wall.advanced(byMilliseconds: made.2 * Self.minute), receivedAt: clock.now.wall)
            return Change(sequence: sequence, body: .entry(entry))
        }
        let page = ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: true)
        _ = try await device.store.receive(
            AllChangesResponse(lists: [.init(id: list, page: page)]), at: clock.now.wall)
        let trip = try #require(try await device.list(list).trips().first)
        var wanted: [[String]] = []
        for pick in trip.picks {
            let replayed = try await device.list(list).replay(after: pick, offline: true)
            #expect(replayed.isOffline && replayed.unsent == 0)
            wanted.append(replayed.state.wanted.map(\.text))
        }
        #expect(wanted == [["jam", "milk"], ["jam"], []])
        await device.close()
    }

    @Test func `while shopping, the rows are in the order of past trips, and none moves meanwhile`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        let walk = ["apples", "bread", "milk", "soap"]
        try await list.add("soap\nmilk\nbread\napples")
        try await shop(walk, in: list.id, device)
        func texts() async throws -> [String] { try await list.shownRows().map(\.item.text) }
        for item in try await list.state().items { try await list.perform([.unmark(item.id)]) }
        #expect(try await texts() == ["soap", "milk", "bread", "apples"], "nobody is shopping")

        try await list.setShopping(true)
        #expect(try await texts() == walk)
        #expect(try await list.shownRows().map { $0.usual?.position } == [1, 2, 3, 4])
        // Another way through the shop, which takes longer than the pause that ends a trip.
        try await shop(walk.reversed(), in: list.id, device)
        #expect(try await texts() == walk)
        try await list.setShopping(true)
        #expect(try await texts() == walk, "the mode was on already")
        try await list.add("jam")
        // It follows the item that it follows on the list.
        #expect(try await texts() == ["apples", "jam", "bread", "milk", "soap"])

        try await list.setShopping(false)
        #expect(try await texts() == ["soap", "milk", "bread", "apples", "jam"])
        try await list.setShopping(true)
        #expect(try await list.shownRows().map { $0.usual?.trips } == [2, 2, 2, 2, nil])
        await device.close()
    }

    @Test func `the learned order is off on all lists of a device until it is switched on again`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\nbread\napples")
        try await shop(["apples", "bread", "milk"], in: list.id, device)
        try await list.setShopping(true)
        var updates = list.rows.makeAsyncIterator()
        #expect(try await updates.next()?.rows.map(\.item.text) == ["apples", "bread", "milk"])
        try await device.setUsesLearnedOrder(false)
        #expect(try await updates.next()?.rows.map(\.item.text) == ["milk", "bread", "apples"])
        await device.close()

        let again = try self.device()
        #expect(try await !again.usesLearnedOrder())
        #expect(try await again.list(list.id).shownRows().allSatisfy { $0.usual == nil })
        try await again.setUsesLearnedOrder(true)
        #expect(try await again.list(list.id).shownRows().map(\.item.text) == ["apples", "bread", "milk"])
        await again.close()
    }

    @Test func `a list that becomes one's own under another id keeps its trips and its order`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\nbread\napples")
        try await shop(["apples", "bread", "milk"], in: list.id, device)
        try await list.setShopping(true)
        let trips = try await list.trips()
        let own = try await device.store.write { [clock] transaction in
            try transaction.rekey(try transaction.list(list.id), at: clock.now.wall)
        }
        #expect(own != list.id)
        #expect(try await device.list(own).trips().map { $0.picks.map(\.text) } == trips.map { $0.picks.map(\.text) })
        #expect(try await device.list(own).shownRows().map(\.item.text) == ["apples", "bread", "milk"])
        await device.close()
    }
}
