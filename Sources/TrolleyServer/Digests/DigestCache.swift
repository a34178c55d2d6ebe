import TrolleyJournal

/// Digests of lists that were folded recently. Bounded: the older half is dropped when there are too many.
struct DigestCache: Sendable {
    /// A list at a sequence in an epoch. Its content at that place never changes.
    struct Place: Hashable, Sendable {
        let list: ListID
        let epoch: UUIDBits
        let head: SequenceNumber
    }

    private struct Known {
        let place: Place
        let digest: StateDigest
    }

    private let maximum: Int
    private var recent: [ListID: Known] = [:]
    private var older: [ListID: Known] = [:]

    /// - Parameter maximum: a number of lists; up to twice as many are kept.
    init(maximum: Int) { self.maximum = max(1, maximum) }

    var count: Int { recent.count + older.count }

    /// The digest; nil when the list was not folded at this place recently.
    mutating func digest(at place: Place) -> StateDigest? {
        guard let known = recent[place.list] ?? older[place.list], known.place == place else { return nil }
        if recent[place.list] == nil { insert(known.digest, at: place) }
        return known.digest
    }

    mutating func insert(_ digest: StateDigest, at place: Place) {
        if recent.count >= maximum, recent[place.list] == nil {
            older = recent
            recent = [:]
        }
        older[place.list] = nil
        recent[place.list] = Known(place: place, digest: digest)
    }
}
