import Synchronization

/// The requests of the last hour at this process, by minute: how many, how many failed, and how long they took.
///
/// Memory: 60 minutes × 112 counts, 27 KB.
final class RequestHistory: Sendable {
    /// A minute in which there were requests.
    struct Minute: Hashable, Sendable, Encodable {
        /// How many minutes ago it began; 0: it has not ended.
        let ago: Int
        let requests: Int
        /// Answers with a status of 500 or more.
        let failed: Int
        /// Milliseconds until the response began, of the middle request, and of the slowest but one in a hundred. At most a
        /// quarter too high.
        let p50: Double
        let p99: Double
    }

    static let minutes = 60

    private struct Counts {
        var minute: Int64 = -1
        var requests = 0
        var failed = 0
        var times = [UInt32](repeating: 0, count: Self.buckets)

        static let buckets = 112

        /// The bucket of a time in microseconds: four for each power of two, the last for everything longer.
        static func bucket(of microseconds: Int64) -> Int {
            let time = UInt64(max(1, microseconds)) << 2
            let power = 63 - time.leadingZeroBitCount
            let quarter = Int(time >> UInt64(power - 2)) & 3
            return min((power - 2) * 4 + quarter, buckets - 1)
        }

        /// The time of which a part of the requests took no longer, in milliseconds: the upper end of its bucket.
        func time(of part: Double) -> Double {
            var left = Int((Double(requests) * part).rounded(.up))
            for (bucket, count) in times.enumerated() {
                left -= Int(count)
                if left <= 0 { return Double(1 << (bucket / 4)) * Double(bucket % 4 + 5) / 4000 }
            }
            return 0
        }
    }

    private let start: ContinuousClock.Instant
    /// By the minute since the start, modulo 60.
    private let state = Mutex([Counts](repeating: Counts(), count: RequestHistory.minutes))

    init(start: ContinuousClock.Instant = .now) { self.start = start }

    func note(_ duration: Duration, failed: Bool, at now: ContinuousClock.Instant = .now) {
        let minute = self.minute(at: now)
        let bucket = Counts.bucket(of: duration.nanoseconds / 1000)
        state.withLock { state in
            let place = Int(minute % Int64(Self.minutes))
            if state[place].minute != minute {
                state[place] = Counts()
                state[place].minute = minute
            }
            state[place].requests += 1
            state[place].failed += failed ? 1 : 0
            state[place].times[bucket] &+= 1
        }
    }

    /// The minutes of the last hour with requests, the earliest first.
    func recent(at now: ContinuousClock.Instant = .now) -> [Minute] {
        let minute = self.minute(at: now)
        return state.withLock { $0 }
            .filter { $0.minute >= 0 && minute - $0.minute < Int64(Self.minutes) }
            .sorted { $0.minute < $1.minute }
            .map { counts in
                Minute(
                    ago: Int(minute - counts.minute), requests: counts.requests, failed: counts.failed,
                    p50: counts.time(of: 0.5), p99: counts.time(of: 0.99))
            }
    }

    private func minute(at now: ContinuousClock.Instant) -> Int64 { (now - start).components.seconds / 60 }
}
