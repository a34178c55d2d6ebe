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
    private let period: Duration
    /// In which one token comes.
    private let interval: Duration
    private let maximumKeys: Int
    /// When each bucket will be full again. That says all of it, and needs no fractions (GCRA, ITU-T I.371).
    private var recent: [Key: ContinuousClock.Instant] = [:]
    private var older: [Key: ContinuousClock.Instant] = [:]
    private var turned: ContinuousClock.Instant?

    /// - Parameters:
    ///   - count: tokens a period, and in a full bucket.
    ///   - period: in which an empty bucket becomes full.
    init(_ count: Int, per period: Duration, maximumKeys: Int = 100_000) {
        self.period = period
        interval = period / max(1, count)
        self.maximumKeys = max(1, maximumKeys)
    }

    /// Buckets in memory.
    var count: Int { recent.count + older.count }

    mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> Admission {
        let full = fullAgain(key, at: now)
        let wait = full - now - (period - interval)
        guard wait <= .zero else {
            // Remembered all the same: who is refused has not been away.
            recent[key] = full
            return .refused(wait: wait)
        }
        recent[key] = full + interval
        return .granted
    }

    /// Puts back what was taken for something that turned out not to count.
    mutating func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        recent[key] = max(now, fullAgain(key, at: now) - interval)
    }

    /// When the bucket will be full again; it is taken out of the older generation if it was there.
    private mutating func fullAgain(_ key: Key, at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        turn(at: now)
        return max(now, recent[key] ?? older.removeValue(forKey: key) ?? now)
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
