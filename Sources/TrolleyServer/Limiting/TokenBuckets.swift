/// Whether somebody may go on.
enum Admission: Hashable, Sendable {
    case granted
    /// Nothing was taken; there is a token after so long.
    case refused(wait: Duration)
}

/// A token bucket for each of many keys: decides who may go on. A value without a clock.
///
/// A bucket that nobody has drawn from for a whole period is full, which is the same as none: so there are two
/// generations, and the older one is let go when a period has passed. Memory is bounded by `maximumKeys` twice.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: ContinuousClock.Instant
    }

    private let capacity: Double
    private let period: Duration
    private let maximumKeys: Int
    private var recent: [Key: Bucket] = [:]
    private var older: [Key: Bucket] = [:]
    private var turned: ContinuousClock.Instant?

    /// - Parameters:
    ///   - count: tokens a period, and in a full bucket.
    ///   - period: in which an empty bucket becomes full.
    init(_ count: Int, per period: Duration, maximumKeys: Int = 100_000) {
        capacity = Double(max(1, count))
        self.period = period
        self.maximumKeys = max(1, maximumKeys)
    }

    /// Buckets in memory.
    var count: Int { recent.count + older.count }

    mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> Admission {
        var bucket = bucket(key, at: now)
        guard bucket.tokens >= 1 else {
            // Remembered all the same: who is refused has not been away.
            recent[key] = bucket
            return .refused(wait: period * ((1 - bucket.tokens) / capacity))
        }
        bucket.tokens -= 1
        recent[key] = bucket
        return .granted
    }

    /// Puts back what was taken for something that turned out not to count.
    mutating func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        var bucket = bucket(key, at: now)
        bucket.tokens = min(capacity, bucket.tokens + 1)
        recent[key] = bucket
    }

    /// The bucket as it is now, taken out of the older generation if it was there.
    private mutating func bucket(_ key: Key, at now: ContinuousClock.Instant) -> Bucket {
        turn(at: now)
        guard var bucket = recent[key] ?? older.removeValue(forKey: key) else {
            return Bucket(tokens: capacity, at: now)
        }
        bucket.tokens = min(capacity, bucket.tokens + capacity * ((now - bucket.at) / period))
        bucket.at = now
        return bucket
    }

    /// Lets the older generation go when it is full again, or when there are more keys than memory is meant for: who has
    /// so many addresses gets a fresh bucket with each of them anyway.
    private mutating func turn(at now: ContinuousClock.Instant) {
        guard let turned else {
            self.turned = now
            return
        }
        guard now - turned >= period || recent.count >= maximumKeys else { return }
        older = recent
        recent = [:]
        self.turned = now
    }
}
