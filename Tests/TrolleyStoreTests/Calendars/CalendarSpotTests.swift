import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("What a task app's write reads of a list", .timeLimit(.minutes(20)))
struct CalendarSpotTests {
    @Test(
        "a kept list is continued to what a whole read finds, beside others' changes and compressions",
        arguments: [1, 2, 3, 4] as [UInt64])
    func same(seed: UInt64) async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            var gestures = Gestures(seed: seed)
            // The process in which the task app's writes arrive. Others change the list by another one.
            let store = Store(pool: test.pool)
            var (continued, renewed) = (0, 0)
            for round in 1...60 {
                let person = round.isMultiple(of: 3) ? ben : anna
                try await test.upload([gestures.next()], to: list, by: person, age: gestures.age())
                if round.isMultiple(of: 15) {
                    _ = try await test.store.compress(list, olderThan: try await test.store.now())
                }
                let calendar = try await test.store.calendar(of: list, for: anna.account, countedFor: anna.device)
                #expect(calendar.items.map(\.order) == calendar.items.map(\.order).sorted(), "round \(round)")
                for _ in 1...4 {
                    let wanted = gestures.wanted()
                    let before = store.keptCalendars[list]
                    let spot = try await store.calendarSpot(
                        of: list, for: anna.account, countedFor: anna.device, wanted)
                    #expect(Told(spot) == Told(wanted, in: calendar), "round \(round): \(wanted)")
                    if before != nil, store.keptCalendars[list] === before { continued += 1 } else { renewed += 1 }
                }
            }
            // Afresh: at first, after a compression, and when an item comes back whose later entries move.
            #expect(renewed >= 1 && continued >= 150, "\(renewed) times afresh")
            let head = try await test.store.calendarHead(of: list, for: anna.account).head.rawValue
            for sequence in stride(from: 1, through: head, by: 7).map(SequenceNumber.init(rawValue:)) {
                let replay = try await test.store.replay(of: list, for: anna.account, through: sequence)
                for id in gestures.items {
                    let old = try await store.item(id, of: list, for: anna.account, at: sequence)
                    let item = replay.folded.fold.state.items.first { $0.id == id }
                    #expect(old == item, "\(id) at \(sequence.rawValue)")
                }
            }
        }
    }

    @Test("a list that went back and on from there is read whole, even before its epoch has changed")
    func wentBack() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.upload([.add("bread", 1), .add("milk", 2)], to: list, by: anna)
            let store = Store(pool: test.pool)
            let task = CalendarWanted.Task(uid: "a", item: ItemID(UUIDBits(high: 1, low: 1)), order: nil)
            let wanted = CalendarWanted(named: "a.ics", task: task)
            let before = try await store.calendarSpot(
                of: list, for: anna.account, countedFor: anna.device, wanted)
            try await test.pool.withConnection { connection in
                try await connection.execute(
                    "DELETE FROM entry WHERE list_id = \(list) AND sequence = \(before.head.head)")
                try await connection.execute(
                    "UPDATE list SET head = head - 1, live_entries = live_entries - 1 WHERE id = \(list)")
            }
            // A process that knows nothing of that.
            let other = TestStore(store: Store(pool: test.pool), pool: test.pool)
            try await other.upload([.add("salt", 2), .add("oil", 3)], to: list, by: anna)
            let spot = try await store.calendarSpot(of: list, for: anna.account, countedFor: anna.device, wanted)
            let calendar = try await store.calendar(of: list, for: anna.account, countedFor: anna.device)
            #expect(calendar.items.map(\.item.text) == ["oil", "salt", "bread"], "each is added above the others")
            #expect(Told(spot) == Told(wanted, in: calendar))
        }
    }

    @Test("a new epoch ends what is kept, and nobody learns of a list that they are no longer on")
    func ends() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.upload([.add("bread", 1)], to: list, by: anna)
            let wanted = CalendarWanted(named: "a.ics")
            let store = test.store
            func spot(_ person: Session) async throws -> CalendarSpot {
                try await store.calendarSpot(of: list, for: person.account, countedFor: person.device, wanted)
            }
            let old = try await spot(ben)
            let kept = try #require(store.keptCalendars[list])
            let epoch = try await store.beginEpoch(after: old.head.epoch, because: .declared)
            #expect(try await spot(ben).head.epoch == epoch.id)
            #expect(store.keptCalendars[list] !== kept)
            try await store.removeParticipant(ben.account, from: list, by: anna.account)
            await #expect(throws: StoreError.self) { _ = try await spot(ben) }
            #expect(try await spot(anna).lastCounter == 1)
        }
    }
}

/// Random changes of a few items, and questions about them.
private struct Gestures {
    private var generator: SeededGenerator
    private var number: Int64 = 0
    let items: [ItemID]

    private static let operations: [TrolleyJournal.Operation] = [
        .add, .add, .add, .edit, .markOff, .unmark, .delete, .move, .move,
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        items = (1...8).map { _ in .version7(at: .now, random: RandomBits.random) }
    }

    mutating func age() -> Int64 { .random(in: 0...2000, using: &generator) }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }

    mutating func next() -> JournalEntry {
        number += 1
        let operation = one(of: Self.operations)
        var fields: Fields = [:]
        if operation == .add || operation == .edit {
            fields[Fields.text] = .string("thing \(number)")
            for (key, values) in [(CalendarField.name, ["n0.ics", "n1.ics"]), (CalendarField.uid, ["u0", "u1"])] {
                switch Int.random(in: 0...5, using: &generator) {
                case 0, 1: fields[key] = .string(one(of: values))
                case 2: fields[key] = .null
                default: break
                }
            }
        }
        let anchors: [ItemID?] = items.map { $0 } + [nil, nil]
        let after = one(of: anchors)
        return JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: operation, item: one(of: items),
            after: operation.places ? after : nil, fields: fields, deviceSequence: number)
    }

    mutating func wanted() -> CalendarWanted {
        let (named, other) = (one(of: items), one(of: items))
        let now = Timestamp.now.milliseconds / 1000 - 978_307_200
        let orders: [Int64?] = [nil, 0, now - .random(in: 0...4, using: &generator)]
        let task = CalendarWanted.Task(
            uid: one(of: ["u0", "u1", "new", other.description]), item: one(of: items), order: one(of: orders))
        let name = one(of: ["n0.ics", "n1.ics", "new.ics", "\(named).ics"])
        return CalendarWanted(named: name, task: one(of: [1, 2, 3]) == 1 ? nil : task)
    }
}

/// What is told of a list, compared part by part with what its items say.
private struct Told: Equatable {
    struct Version: Equatable {
        let item: Item
        let sequence: SequenceNumber
        let times: [Timestamp?]
        let order: Int64

        init(_ item: CalendarItem) {
            self.item = item.item
            sequence = item.sequence
            times = [item.createdAt, item.changedAt, item.markedOffAt]
            order = item.order
        }
    }

    let head: SequenceNumber
    let lastCounter: Int64
    let present: Version?
    let other: Version?
    let above: ItemID?
    let place: ItemID?

    init(_ spot: CalendarSpot) {
        head = spot.head.head
        lastCounter = spot.lastCounter
        present = spot.present.map(Version.init)
        other = spot.other.map(Version.init)
        above = spot.above
        place = spot.place
    }

    init(_ wanted: CalendarWanted, in calendar: ListCalendar) {
        head = calendar.head.head
        lastCounter = calendar.lastCounter
        let items = calendar.items
        let index = items.firstIndex { item in
            (item.item.fields[CalendarField.name]?.string ?? "\(item.item.id).ics") == wanted.name
        }
        present = index.map { Version(items[$0]) }
        above = index.flatMap { $0 == 0 ? nil : items[$0 - 1].item.id }
        let others = items.indices.filter { $0 != index }.map { items[$0] }
        place = others.last { item in wanted.task?.order.map { item.order <= $0 } ?? true }?.item.id
        var other: CalendarItem?
        if index == nil, let task = wanted.task {
            other = items.first { item in
                item.item.id == task.item
                    || (item.item.fields[CalendarField.uid]?.string ?? item.item.id.description) == task.uid
            }
        }
        self.other = other.map(Version.init)
    }
}
