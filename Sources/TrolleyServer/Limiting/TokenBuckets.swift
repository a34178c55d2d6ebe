/// The result of taking a token.
enum Admission: Hashable, Sendable {
    case granted
    /// No token was taken. A token is available after `wait`.
    case refused(wait: Duration)
}

/// Token buckets, one for each key. A value without a clock.
///
/// A bucket that was not used for a whole period is full, which is the same as no bucket. So there are two generations,
/// and the older one is dropped after a period. Memory is bounded by twice `maximumKeys`.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private let period: Duration
    /// The time in which one token is added.
    private let interval: Duration
    private let maximumKeys: Int
    /// The time at which each bucket will be full again. That is its whole state, without fractions (GCRA, ITU-T
    /// I.371).
    private var recent: [Key: ContinuousClock.Instant] = [:]
    private var older: [Key: ContinuousClock.Instant] = [:]
    private var rotatedAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - count: tokens per period, and in a full bucket.
    ///   - period: the time in which an empty bucket becomes full.
    init(_ count: Int, per period: Duration, maximumKeys: Int = 100_000) {
        self.period = period
        interval = period / max(1, count)
        self.maximumKeys = max(1, maximumKeys)
    }

    /// The number of buckets in memory.
    var count: Int { recent.count + older.count }

    /// Takes tokens, or none of them.
    /// - Parameter count: at most as many as a full bucket has.
    mutating func take(_ key: Key, count: Int = 1, at now: ContinuousClock.Instant) -> Admission {
        let full = refillTime(key, at: now)
        let wait = full - now - (period - interval * count)
        guard wait <= .zero else {
            // Stored anyway: a refused key counts as recently used.
            recent[key] = full
            return .refused(wait: wait)
        }
        recent[key] = full + interval * count
        return .granted
    }

    /// Returns a token, for something that turned out not to count.
    mutating func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        recent[key] = max(now, refillTime(key, at: now) - interval)
    }

    /// The time at which the bucket will be full again. Removes it from the older generation.
    private mutating func refillTime(_ key: Key, at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        rotate(at: now)
        return max(now, recent[key] ?? older.removeValue(forKey: key) ?? now)
    }

    /// Drops the older generation after a period, or when there are too many keys. A client with that many addresses
    /// gets a new bucket for each of them anyway.
    private mutating func rotate(at now: ContinuousClock.Instant) {
        guard let rotatedAt else {
            self.rotatedAt = now
            return
        }
        guard now - rotatedAt >= period || recent.count >= maximumKeys else { return }
        older = recent
        recent = [:]
        self.rotatedAt = now
    }
}
