/// Where an item usually comes on a trip.
public struct UsualPlace: Hashable, Sendable {
    /// The place on a trip of the usual length, from 1: 4 means 'usually 4th'.
    public var position: Int
    /// The number of trips that this is computed from.
    public var trips: Int

    public init(position: Int, trips: Int) {
        self.position = position
        self.trips = trips
    }
}

/// The order in which items were marked off on past trips of a list.
///
/// It is computed from the trips alone, so devices with the same trips have the same order; docs/journal.md, 'Learned
/// order', has the rule.
public struct LearnedOrder: Hashable, Sendable {
    package struct Place: Hashable, Sendable {
        /// The place between the first gesture of a trip (0) and the last (10,000).
        package var share: Int
        package var usual: UsualPlace

        package init(share: Int, usual: UsualPlace) {
            self.share = share
            self.usual = usual
        }
    }

    package private(set) var places: [ItemKey: Place]

    /// The number of an item's last trips that count.
    private static let maxTrips = 9
    /// The number of an item's last trips that count twice.
    private static let recentTrips = 3
    /// Gestures beyond this number give a trip no more weight.
    private static let maxWeight = 10
    private static let whole = 10_000

    package init(places: [ItemKey: Place]) { self.places = places }

    /// - Parameters:
    ///   - trips: a list's trips, oldest first.
    ///   - moment: only trips that were over by then count, so that a trip doesn't change its own order.
    ///   - shop: only trips in this shop count, if there are any; nil: all.
    public init(of trips: [Trip], at moment: Timestamp, in shop: String? = nil) {
        let all = LearnedOrder(over: trips, at: moment)
        guard let shop = shop?.itemKey else {
            self = all
            return
        }
        let there = LearnedOrder(over: trips.filter { $0.shop?.itemKey == shop }, at: moment)
        self = there.places.isEmpty ? all : there
    }

    @inline(never) private init(over trips: [Trip], at moment: Timestamp) {
        // Newest first. The order of one or two gestures says little.
        let walks = trips.reversed().filter { $0.isOver(at: moment) }.map { $0.gestures }
            .filter { $0.count >= Trip.minItems }
        var lengths: [Observation] = []
        var observations: [ItemKey: [Observation]] = [:]
        for (trip, gestures) in walks.enumerated() {
            let weight = min(gestures.count, Self.maxWeight)
            if trip < Self.maxTrips { lengths.append(Observation(of: gestures.count, on: trip, weight)) }
            for (index, gesture) in gestures.enumerated() {
                let share = index * Self.whole / (gestures.count - 1)
                for key in gesture.map({ $0.text.itemKey }) {
                    let known = observations[key] ?? []
                    guard known.count < Self.maxTrips, known.last?.trip != trip else { continue }
                    observations[key] = known + [Observation(of: share, on: trip, weight)]
                }
            }
        }
        let last = max(Self.median(lengths), 1) - 1
        places = [:]
        for (key, observations) in observations {
            let share = Self.median(observations)
            let position = 1 + (share * last + Self.whole / 2) / Self.whole
            places[key] = Place(share: share, usual: UsualPlace(position: position, trips: observations.count))
        }
    }

    /// A number from one trip: the place of an item, or the number of gestures.
    private struct Observation {
        var value: Int
        /// The number of the trip, counted from the newest.
        var trip: Int
        var weight: Int

        init(of value: Int, on trip: Int, _ weight: Int) {
            self.value = value
            self.trip = trip
            self.weight = weight
        }
    }

    /// The weighted median.
    /// - Parameter observations: newest first.
    private static func median(_ observations: [Observation]) -> Int {
        var weighed = observations
        for index in weighed.indices.prefix(recentTrips) { weighed[index].weight *= 2 }
        weighed.sort { $0.value == $1.value ? $0.trip < $1.trip : $0.value < $1.value }
        let total = weighed.reduce(0) { $0 + $1.weight }
        var sum = 0
        var lower: Int?
        for observation in weighed {
            sum += observation.weight
            // Where the halves meet exactly, the median lies between both numbers.
            if let lower { return (lower + observation.value) / 2 }
            if sum * 2 > total { return observation.value }
            if sum * 2 == total { lower = observation.value }
        }
        return lower ?? 0
    }
}
