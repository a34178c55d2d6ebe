import Testing

@testable import TrolleyServer

@Suite("The rate of a socket's frames", .timeLimit(.minutes(20)))
struct MessageMeterTests {
    @Test("two seconds' worth at once, then the rate, and no more")
    func rate() {
        let start = ContinuousClock.now
        var meter = MessageMeter(perSecond: 50, at: start)
        let burst = (0..<1000).count { _ in meter.take(at: start) }
        #expect(burst == 100)
        let later = start + .seconds(1)
        let second = (0..<1000).count { _ in meter.take(at: later) }
        #expect(second == 50)
        // What is saved up is never more than two seconds' worth.
        let muchLater = start + .seconds(3600)
        let third = (0..<1000).count { _ in meter.take(at: muchLater) }
        #expect(third == 100)
    }
}
