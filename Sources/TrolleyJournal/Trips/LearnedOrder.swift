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
    public init(of trips: [Trip], at moment: Timestamp) {
        var observations: [ItemKey: [Observation]] = [:]
        var lengths: [Int] = []
        // Newest first. The order of one or two gestures says little.
        let walks = trips.reversed().filter { $0.isOver(at: moment) }.map { $0.gestures }
            .filter { $0.count >= Trip.minItems }
        for (trip, gestures) in walks.enumerated() {
            if lengths.count < Self.maxTrips { lengths.append(gestures.count) }
            for (index, gesture) in gestures.enumerated() {
                let observation = Observation(
                    share: index * Self.whole / (gestures.count - 1), weight: min(gestures.count, Self.maxWeight),
                    trip: trip)
                for pick in gesture {
                    let key = pick.text.itemKey
                    let known = observations[key] ?? []
                    guard known.count < Self.maxTrips, known.last?.trip != trip else { continue }
                    observations[key] = known + [observation]
                }
            }
        }
        lengths.sort()
        let last = lengths.isEmpty ? 0 : lengths[(lengths.count - 1) / 2] - 1
        places = [:]
        for (key, observations) in observations {
            let share = Self.median(observations)
            let position = 1 + (share * last + Self.whole / 2) / Self.whole
            places[key] = Place(share: share, usual: UsualPlace(position: position, trips: observations.count))
        }
    }

    /// The place of an item on one trip.
    private struct Observation {
        var share: Int
        var weight: Int
        /// The number of the trip, counted from the newest.
        var trip: Int
    }

    /// The weighted median.
    /// - Parameter observations: newest first.
    private static func median(_ observations: [Observation]) -> Int {
        var weighed = observations
        for index in weighed.indices.prefix(recentTrips) { weighed[index].weight *= 2 }
        weighed.sort { $0.share == $1.share ? $0.trip < $1.trip : $0.share < $1.share }
        let total = weighed.reduce(0) { $0 + $1.weight }
        var sum = 0
        var lower: Int?
        for observation in weighed {
            sum += observation.weight
            // Where the halves meet exactly, the median lies between both places.
            if let lower { return (lower + observation.share) / 2 }
            if sum * 2 > total { return observation.share }
            if sum * 2 == total { lower = observation.share }
        }
        return lower ?? 0
    }
}
