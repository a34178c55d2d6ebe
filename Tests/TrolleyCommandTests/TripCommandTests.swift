import ArgumentParser
import FoundationEssentials
import Synchronization
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct TripCommandTests {
    private let now = Timestamp("2026-09-05T12:00:00.000Z") ?? .now()

    @Test func `a trip is named by its number or its date`() throws {
        #expect(try TripName("2", now: now) == .number(2))
        #expect(try TripName("2026-9-3", now: now) == .date("2026-09-03"))
        #expect(try TripName("Today", now: now) == .date(LocalTime(now).date))
        let yesterday = LocalTime(now.advanced(byMilliseconds: -86_400_000)).date
        #expect(try TripName("yesterday", now: now) == .date(yesterday))
        for wrong in ["", "0", "-1", "september", "2026-09", "2026-13-01", "2026-09-03-1", "2026--3"] {
            #expect(throws: ValidationError.self, "\(wrong)") { try TripName(wrong, now: now) }
        }
    }

    @Test func `two trips at one time are told apart by their shops`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Week", isLocal: true)
        try await list.add("milk\nbread\njam\ntea\nrice\nsalt")
        let items = try await list.state().items.map(\.id)
        for (shop, picked) in [("Aldi", items.prefix(3)), ("Lidl", items.suffix(3))] {
            try await list.setShopping(true, at: shop)
            try await list.perform(picked.map { .markOff($0) })
        }
        let summary = try await list.summary()
        let today = LocalTime(try #require(try await list.trips().first).start).date
        let error = await #expect(throws: CommandError.self) {
            _ = try await device.trip(named: .date(today), of: summary)
        }
        guard case .ambiguousTrip(_, let lines) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(lines.count == 2)
        for shop in ["Aldi", "Lidl"] { #expect(lines.contains { $0.hasSuffix(", at \(shop)") }, "\(lines)") }
        await device.close()
    }

    @Test func `a trip is named alone, and repeated by its name`() async throws {
        for right in [[], ["1"], ["yesterday"], ["repeat", "2026-09-03"]] {
            _ = try await TripsCommand.asyncParse(right)
        }
        for wrong in [["1", "2"], ["repeat"], ["repeat", "1", "2"], ["nonsense"], ["repeat", "milk"]] {
            await #expect(throws: (any Error).self, "\(wrong)") { _ = try await TripsCommand.asyncParse(wrong) }
        }
        _ = try await ReplayCommand.asyncParse(["--trip", "1", "--at", "3"])
        let wrongReplays = [
            ["--trip", "1", "--at", "17:40"], ["--trip", "1", "--at", "0"], ["--trip", "1", "--at=-1"],
            ["--trip", "milk"],
            ["--trip", "1", "--through", "3"], [],
        ]
        for wrong in wrongReplays {
            await #expect(throws: (any Error).self, "\(wrong)") { _ = try await ReplayCommand.asyncParse(wrong) }
        }
        await #expect(throws: (any Error).self) { _ = try await ShoppingCommand.asyncParse([]) }
    }

    @Test func `places are ordinal numbers, and a duration is in hours and minutes`() throws {
        let words = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map { UsualPlace(position: $0, trips: 1).words }
        #expect(
            words
                == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"].map {
                    "usually \($0)"
                })
        func length(_ seconds: Int64...) throws -> String {
            var history = PurchaseHistory()
            for (index, second) in seconds.enumerated() {
                history.add(
                    Purchase(
                        entry: Samples.id(), text: "\(index)", at: Timestamp(milliseconds: second * 1000)))
            }
            return try #require(history.trips.first).lengthInWords
        }
        #expect(try length(0, 1, 29) == "less than a minute")
        #expect(try length(0, 1, 60) == "1 minute")
        #expect(try length(0, 2000, 3600) == "1 hour")
        #expect(try length(0, 2000, 4000, 6000, 7500) == "2 hours 5 minutes")
    }

    @Test func `rows say where an item usually comes`() {
        var row = ShownRow(item: Item(id: Samples.id(), fields: ["text": "milk"]))
        row.usual = UsualPlace(position: 4, trips: 6)
        let other = ShownRow(item: Item(id: Samples.id(), fields: ["text": "jam"]))
        let table = ItemTable(rows: [row, other], terminal: Terminal())
        #expect(table.lines() == ["1. [ ] milk  usually 4th", "2. [ ] jam"])
        #expect(table.lines(width: 40).first == "1.  ·  milk  usually 4th")
        let narrow = table.lines(width: 12)
        #expect(narrow.allSatisfy { $0.columns <= 12 })
    }

    @Test func `of two trips on one day, the number decides`() async throws {
        let home = FileManager.default.temporaryDirectory.path() + "/trolley-trips-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let passed = Atomic<Int64>(0)
        let noon = now
        let device = try Device(directory: home) {
            let milliseconds = passed.load(ordering: .relaxed)
            return DeviceTime(
                boot: "test", uptime: milliseconds, wall: noon.advanced(byMilliseconds: milliseconds))
        }
        let id = try await device.makeList(named: "Shop", isLocal: true)
        try await id.add("milk\neggs\njam")
        for round in 0..<2 {
            for item in try await id.state().items {
                passed.add(10 * 60_000, ordering: .relaxed)
                try await id.perform([round == 0 ? .markOff(item.id) : .unmark(item.id)])
            }
        }
        for item in try await id.state().items {
            passed.add(20 * 60_000, ordering: .relaxed)
            try await id.perform([.markOff(item.id)])
        }
        let list = try await id.summary()
        let trips = try await device.numberedTrips(of: list)
        #expect(trips.map(\.number) == [1, 2] && trips[0].trip.start > trips[1].trip.start)
        #expect(try await device.trip(named: .number(2), of: list) == trips[1])
        for name in [TripName.number(3), .date("2020-01-01")] {
            await #expect(throws: CommandError.self) { try await device.trip(named: name, of: list) }
        }
        let date = LocalTime(trips[0].trip.start).date
        // In a time zone in which midnight lies between them, the date is enough.
        if LocalTime(trips[1].trip.start).date == date {
            do {
                _ = try await device.trip(named: .date(date), of: list)
                Issue.record("it took one of two trips")
            } catch CommandError.ambiguousTrip(_, let candidates) {
                #expect(candidates.count == 2 && candidates[0].hasPrefix("  1. "))
            }
        }
        let console = Console(json: true)
        try await TripsCommand.asyncParse(["1", "--json", "--list", id.id.description]).run(on: device, console)

        // Scrubbing, and repeating by date.
        try await ReplayCommand.asyncParse(["--trip", "2", "--at", "3", "--list", id.id.description])
            .run(on: device, console)
        await #expect(throws: CommandError.self) {
            try await ReplayCommand.asyncParse(["--trip", "2", "--at", "4", "--list", id.id.description])
                .run(on: device, console)
        }
        passed.add(86_400_000, ordering: .relaxed)
        for item in try await id.state().items { try await id.perform([.unmark(item.id)]) }
        for item in try await id.state().items {
            passed.add(1000, ordering: .relaxed)
            try await id.perform([.markOff(item.id)])
        }
        passed.add(7 * 86_400_000, ordering: .relaxed)
        let third = LocalTime(noon.advanced(byMilliseconds: passed.load(ordering: .relaxed) - 7 * 86_400_000)).date
        #expect(try await id.state().items.allSatisfy(\.markedOff))
        try await TripsCommand.asyncParse(["repeat", third, "--list", id.id.description]).run(on: device, console)
        #expect(try await id.state().wanted.map(\.text) == ["milk", "eggs", "jam"])
        try await id.undo()
        #expect(try await id.state().items.allSatisfy(\.markedOff))
        for wrong in ["2026-02-31", "2020-01-01"] {
            await #expect(throws: CommandError.self, "\(wrong)") {
                try await TripsCommand.asyncParse(["repeat", wrong, "--list", id.id.description]).run(
                    on: device, console)
            }
        }
        await device.close()
    }
}
