import Testing
import TrolleyWire

@testable import TrolleyServer

@Suite("Token buckets", .timeLimit(.minutes(20)))
struct TokenBucketsTests {
    @Test("a refused client is told to wait long enough, and at least a second")
    func refusals() {
        let limiter = RateLimiter(Rates()) { _ in }
        for (wait, seconds) in [(Duration.zero, 1), (.milliseconds(2500), 3), (.seconds(2), 2)] {
            #expect(limiter.refusal(.streams, wait: wait).retryAfter == seconds)
        }
    }

    private let start = ContinuousClock.now

    @Test("a full bucket gives what it holds at once, then one at a time as it fills")
    func emptying() {
        var buckets = TokenBuckets<String>(6, per: .seconds(60))
        for _ in 0..<6 { #expect(buckets.take("a", at: start) == .granted) }
        #expect(buckets.take("a", at: start) == .refused(wait: .seconds(10)))
        #expect(buckets.take("b", at: start) == .granted, "each key has its own")
        #expect(buckets.take("a", at: start + .seconds(9)) == .refused(wait: .seconds(1)))
        #expect(buckets.take("a", at: start + .seconds(10)) == .granted)
        #expect(buckets.take("a", at: start + .seconds(10)) == .refused(wait: .seconds(10)))
    }

    @Test("a client that waits as told is accepted, however often it was refused before")
    func comingBack() {
        var buckets = TokenBuckets<Int>(7, per: .seconds(60))
        var now = start
        for _ in 0..<200 {
            switch buckets.take(1, at: now) {
            case .granted: break
            case .refused(let wait):
                now += wait + .nanoseconds(100)
                #expect(buckets.take(1, at: now) == .granted)
            }
        }
        // 7 at once, and 193 more at 7 a minute.
        #expect(abs((now - start) / .seconds(60) - 193.0 / 7) < 0.01)
    }

    @Test("returned tokens can be taken again, but never more than the bucket's size")
    func givingBack() {
        var buckets = TokenBuckets<Int>(2, per: .seconds(60))
        _ = buckets.take(1, at: start)
        _ = buckets.take(1, at: start)
        buckets.giveBack(1, at: start)
        #expect(buckets.take(1, at: start) == .granted)
        for _ in 0..<5 { buckets.giveBack(1, at: start) }
        #expect((0..<3).map { _ in buckets.take(1, at: start) == .granted } == [true, true, false])
    }

    @Test("an empty bucket is remembered until it is full, and then forgotten")
    func memory() {
        var buckets = TokenBuckets<Int>(10, per: .seconds(60))
        for _ in 0..<10 { _ = buckets.take(0, at: start) }
        for key in 1...1000 { _ = buckets.take(key, at: start + .milliseconds(Int64(key) * 59)) }
        #expect(buckets.take(0, at: start + .seconds(59)) == .granted, "9.8 tokens have come since")
        for second in [61, 121, 181] { _ = buckets.take(2000, at: start + .seconds(second)) }
        #expect(buckets.count == 1)
    }

    @Test("however many keys there are, memory is bounded")
    func bound() {
        var buckets = TokenBuckets<Int>(10, per: .seconds(60), maximumKeys: 100)
        for key in 0..<10_000 { _ = buckets.take(key, at: start) }
        #expect(buckets.count <= 200)
    }
}
