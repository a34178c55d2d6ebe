import Testing
import TrolleyJournal

@Suite("Trips", .timeLimit(.minutes(20)))
struct TripTests {
    private static let pause = Int(Trip.maxPause / 1000)

    /// Adds items 1, 2, 3 … with these texts, in the first seconds.
    private func adding(_ texts: String...) -> [ConfirmedEntry] {
        texts.enumerated().map { .sample($0 + 1, .add, $0 + 1, ["text": .string($1)]) }
    }

    private func trips(_ entries: [ConfirmedEntry]) -> [Trip] { PurchaseHistory(entries).trips }

    @Test("a pause of 45 minutes separates two trips, and a shorter one doesn't")
    func pause() {
        let items = adding("milk", "eggs", "jam", "bread", "salt", "soap")
        func starts(secondAfter pause: Int) -> [Int] {
            let first = (0..<3).map { ConfirmedEntry.sample(11 + $0, .markOff, 1 + $0, madeAt: 1000 + $0) }
            let second = (0..<3).map { ConfirmedEntry.sample(21 + $0, .markOff, 4 + $0, madeAt: 1002 + pause + $0) }
            return trips(items + first + second).map { Int($0.start.milliseconds / 1000) }
        }
        #expect(starts(secondAfter: Self.pause) == [1000, 1002 + Self.pause])
        #expect(starts(secondAfter: Self.pause - 1) == [1000])
    }

    @Test("three different items are a trip; two are not, however often they are marked off")
    func items() throws {
        let items = adding("milk", "eggs", "jam")
        let two: [ConfirmedEntry] = [
            .sample(11, .markOff, 1, madeAt: 1000), .sample(12, .markOff, 2, device: 2, madeAt: 1001),
            .sample(13, .markOff, 1, device: 2, madeAt: 1002),
        ]
        #expect(trips(items + two).isEmpty)
        let trip = try #require(trips(items + two + [.sample(14, .markOff, 3, madeAt: 1060)]).first)
        #expect(trip.picks.map(\.text) == ["milk", "eggs", "jam"])
        #expect(trip.picks.map { $0.author?.number } == [1, 2, 1], "the first mark of an item counts")
        #expect(trip.duration == 60_000)
    }

    @Test("a trip has several people, the order of their picks, and what was added meanwhile")
    func people() throws {
        let entries =
            adding("milk", "eggs") + [
                .sample(11, .markOff, 2, device: 2, madeAt: 1000),
                .sample(12, .add, 3, ["text": "jam", "quantity": "2"], device: 3, madeAt: 1100),
                .sample(13, .add, 4, ["text": "soap"], device: 3, madeAt: 1200),
                .sample(14, .add, 5, ["text": "a mistake"], device: 3, madeAt: 1201),
                .sample(15, .delete, 5, device: 3, madeAt: 1202),
                // This mark was made before the one above it, on a device without a connection.
                .sample(16, .markOff, 1, device: 1, madeAt: 900), .sample(17, .markOff, 3, device: 2, madeAt: 1300),
                .sample(18, .add, 6, ["text": "salt"], madeAt: 1301),
            ]
        let trip = try #require(trips(entries).first)
        #expect(trip.picks.map(\.text) == ["milk", "eggs", "jam"] && trip.picks[2].quantity == "2")
        #expect(trip.people.map(\.number) == [1, 2])
        #expect(trip.added.map(\.text) == ["jam", "soap"] && trip.added.map { $0.by?.number } == [3, 3])
        #expect(trip.start == .seconds(900) && trip.end == .seconds(1300))
        #expect(!trip.isOver(at: .seconds(1300 + Self.pause - 1)) && trip.isOver(at: .seconds(1300 + Self.pause)))
    }

    @Test("slips and undone marks are no picks, and undoing an unmark brings the pick back at its own time")
    func undone() {
        func undoing(_ number: Int, _ operation: Operation, _ item: Int, madeAt: Int) -> ConfirmedEntry {
            var entry: ConfirmedEntry = .sample(number, operation, item, madeAt: madeAt)
            entry.entry.cause = .undo
            return entry
        }
        let marked: [ConfirmedEntry] =
            adding("milk", "eggs", "jam", "salt")
            + (1...4).map { .sample(10 + $0, .markOff, $0, madeAt: 1000 + $0) }
        func texts(_ more: ConfirmedEntry...) -> [[String]] { trips(marked + more).map { $0.picks.map(\.text) } }
        #expect(texts() == [["milk", "eggs", "jam", "salt"]])
        #expect(texts(.sample(21, .unmark, 2, madeAt: 1010)) == [["milk", "jam", "salt"]])
        #expect(texts(undoing(21, .unmark, 1, madeAt: 99_000)) == [["eggs", "jam", "salt"]])
        // Days later somebody wants all of it again, and takes that back: nothing was bought.
        let again = (1...4).map { ConfirmedEntry.sample(20 + $0, .unmark, $0, madeAt: 500_000) }
        let back = (1...4).map { undoing(30 + $0, .markOff, $0, madeAt: 500_060) }
        #expect(trips(marked + again + back) == trips(marked))
        // The same at once, when the unmarks count as slips.
        let soon = (1...4).map { ConfirmedEntry.sample(20 + $0, .unmark, $0, madeAt: 1010) }
        #expect(trips(marked + soon).isEmpty && trips(marked + soon + back) == trips(marked))
    }

    @Test("the marks of one gesture are in the order of the gesture, whatever their ids")
    func gesture() {
        var entries = adding("milk", "eggs", "jam")
        for (index, item) in [3, 1, 2].enumerated() {
            var mark: ConfirmedEntry = .sample(20 - index, .markOff, item, batch: 7, madeAt: 1000)
            mark.entry.deviceSequence = Int64(index)
            entries.append(mark)
        }
        #expect(
            trips(entries.sorted { $0.sequence < $1.sequence }).map { $0.picks.map(\.text) } == [
                ["jam", "milk", "eggs"]
            ])
    }

    @Test("purchases that an earlier version stored count, and the ends of time do no harm")
    func stored() {
        var history = PurchaseHistory()
        for number in 1...3 {
            history.add(Purchase(entry: .sample(number), text: "milk", at: Timestamp(milliseconds: .max)))
            history.add(Purchase(entry: .sample(9 + number), text: "salt", at: Timestamp(milliseconds: .min)))
        }
        #expect(history.trips.map(\.picks.count) == [3] && history.trips.allSatisfy(\.people.isEmpty))
    }
}
