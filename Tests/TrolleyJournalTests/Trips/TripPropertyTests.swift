import Testing

@testable import TrolleyJournal

/// Random journals of people who shop, some of them without a connection.
@Suite("Properties of trips", .timeLimit(.minutes(20)))
struct TripPropertyTests {
    private static let journals: UInt64 = 4000

    @Test("the same entries give the same trips and the same order, in whatever order they arrive")
    func arrival() {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let entries = ShoppingJournal.random(&random)
            let trips = PurchaseHistory(entries).trips
            let arrived = PurchaseHistory(entries.shuffled(using: &random))
            #expect(arrived.trips == trips, "TROLLEY_PROPERTY_SEED=\(seed)")
            let moment = random.pick(entries).madeAt
            #expect(
                LearnedOrder(of: arrived.trips, at: moment) == LearnedOrder(of: trips, at: moment),
                "TROLLEY_PROPERTY_SEED=\(seed)")
        }
    }

    @Test("a device that keeps the purchases of compressed entries has the same trips and the same order")
    func compression() {
        var (trips, discarded) = (0, 0)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let entries = ShoppingJournal.random(&random)
            let whole = PurchaseHistory(entries)
            let compression = Compression(of: entries, olderThan: random.pick(entries).receivedAt)
            let gone = Set(compression.discarded.map(\.id))
            var kept = PurchaseHistory()
            for purchase in whole.purchases where gone.contains(purchase.entry) { kept.add(purchase) }
            for entry in compression.applied(to: entries) { kept.take(entry) }
            #expect(kept.trips == whole.trips, "TROLLEY_PROPERTY_SEED=\(seed)")
            trips += whole.trips.count
            discarded += gone.count
        }
        #expect(trips > 100 && discarded > 1000, "the journals have what is tried here")
    }

    private var seeds: Range<UInt64> {
        let run = PropertyRun.current
        return run.seed..<run.seed &+ min(run.count, Self.journals)
    }
}

private enum ShoppingJournal {
    /// Some days on which three devices add items and mark them off. Who has no connection is received later.
    static func random(_ random: inout SeededGenerator) -> [ConfirmedEntry] {
        var making = Making()
        for _ in 0..<(1 + random.below(6)) {
            making.clock += random.below(3) * 86_400 + 3000
            for _ in 0..<(4 + random.below(16)) {
                making.clock += random.oneIn(12) ? Int(Trip.maxPause / 1000) - 1 + random.below(3) : random.below(400)
                making.step(&random)
            }
        }
        let received = making.made.sorted { $0.receivedAt < $1.receivedAt }
        return received.enumerated().map { index, entry in
            var entry = entry
            entry.sequence = SequenceNumber(rawValue: Int64(index) + 1)
            return entry
        }
    }

    private struct Making {
        var clock = 1000
        var made: [ConfirmedEntry] = []
        private var items = 0
        private var number = 0
        private var batch = 0

        mutating func step(_ random: inout SeededGenerator) {
            let device = 1 + random.below(3)
            let item = 1 + random.below(max(items, 1))
            switch items == 0 ? 0 : random.below(10) {
            case 0, 1:
                items += 1
                // Some items have the same text.
                make(.add, items, ["text": .string("item \(random.below(9))")], device, &random)
            case 2...6: make(.markOff, item, [:], device, &random)
            case 7: make(.unmark, item, [:], device, &random)
            case 8: make(random.oneIn(2) ? .unmark : .markOff, item, [:], device, &random, cause: .undo)
            default: make(.delete, item, [:], device, &random)
            }
        }

        private mutating func make(
            _ operation: Operation, _ item: Int, _ fields: Fields, _ device: Int, _ random: inout SeededGenerator,
            cause: Cause = .edit
        ) {
            number += 1
            if !random.oneIn(4) { batch += 1 }
            // An item must be there before others can change it.
            let late = operation == .add || !random.oneIn(5) ? 0 : random.below(9000)
            var entry: ConfirmedEntry = .sample(
                number, operation, item, fields, device: device, batch: batch, madeAt: clock, receivedAt: clock + late)
            entry.entry.cause = cause
            made.append(entry)
        }
    }
}
