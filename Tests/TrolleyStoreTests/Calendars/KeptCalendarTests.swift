import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Lists that are kept between a task app's writes", .timeLimit(.minutes(20)))
struct KeptCalendarTests {
    private static let wanted = CalendarWanted(
        named: "new.ics", task: .init(uid: "new", item: ItemID(UUIDBits(high: 1, low: 1)), order: nil))

    @Test(
        "a write to a list of 2,000 items reads 2 rows: the last entry that is known, and the one after it",
        .enabled(if: TestNodes.shared == nil, "counts of one server"))
    func rows() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            for start in stride(from: Int64(1), through: 2000, by: 400) {
                try await test.upload((start..<start + 400).map { .add("thing", $0) }, to: list, by: anna)
            }
            try await test.pool.withConnection { _ = try await $0.execute("ANALYZE entry") }
            // The counts of the only session of a pool are those of this test alone.
            let pool = Pool(test.pool.configuration, options: .patient(1))
            let store = Store(pool: pool)
            _ = try await store.calendarSpot(
                of: list, for: anna.account, countedFor: anna.device, Self.wanted)
            var number: Int64 = 2000
            let rows = try await eventually("rows, in a read of less than a second") {
                number += 1
                try await test.upload([.add("more", number)], to: list, by: anna)
                return try await pool.rowsRead {
                    let spot = try await store.calendarSpot(
                        of: list, for: anna.account, countedFor: anna.device, Self.wanted)
                    #expect(spot.lastCounter == number)
                }
            } until: {
                $0 != nil
            }
            #expect(rows == 2)
            await pool.close()
        }
    }

    @Test("kept lists take only memory that no request needs, and the list that was used last stays")
    func memory() async throws {
        var reading = ReadingLimits()
        reading.bytes = 900_000
        reading.bytesPerAccount = 300_000
        try await TestStore.with(reading: reading) { test in
            let store = test.store
            let anna = try await test.person("anna")
            var last: ListID?
            for _ in 1...6 {
                let list = try await test.list(of: anna)
                try await test.upload((1...80).map { .add("thing", $0) }, to: list, by: anna)
                _ = try await store.calendarSpot(
                    of: list, for: anna.account, countedFor: anna.device, Self.wanted)
                #expect(store.keptCalendars[list] != nil && store.keptCalendars.bytes <= 300_000)
                last = list
            }
            // There is room for some of them, but not for all.
            #expect((2..<6).contains(store.keptCalendars.count), "\(store.keptCalendars.count)")
            var holdings: [ReadReservation] = []
            for name in ["ben", "carl", "dora", "emil"] {
                let person = try await test.person(name)
                let bytes = min(300_000, store.memory.free / 2 - 1000)
                holdings.append(try store.reserve(bytes, for: person.account))
                #expect(store.keptCalendars.bytes <= store.memory.free, "\(name)")
            }
            #expect(store.memory.free < 100_000 && store.keptCalendars.count <= 1)
            withExtendedLifetime(holdings) {}
            holdings = []
            let list = try #require(last)
            let spot = try await store.calendarSpot(
                of: list, for: anna.account, countedFor: anna.device, Self.wanted)
            #expect(spot.lastCounter == 80 && store.keptCalendars[list] != nil)
        }
    }

    @Test("of many small lists those are kept that were used last")
    func count() {
        let kept = KeptCalendars(most: 1 << 20)
        let position = Position(head: .start, epoch: UUIDBits(high: 1, low: 1))
        let lists = (0...KeptCalendars.maxLists).map { ListID(UUIDBits(high: 1, low: UInt64($0))) }
        func use(_ list: ListID) {
            kept.keep(KeptCalendar(CalendarReading(), at: position, bytes: 10), of: list, room: .max)
        }
        for list in lists.dropLast() { use(list) }
        use(lists[0])
        use(lists[KeptCalendars.maxLists])
        #expect(kept.count == KeptCalendars.maxLists && kept.bytes == 10 * KeptCalendars.maxLists)
        #expect(kept[lists[0]] != nil && kept[lists[1]] == nil)
        kept.remove(lists[0])
        #expect(kept[lists[0]] == nil && kept.bytes == 10 * (KeptCalendars.maxLists - 1))
        kept.shrink(to: 25)
        #expect(kept.count == 2 && kept[lists[KeptCalendars.maxLists]] != nil)
    }
}
