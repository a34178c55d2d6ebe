import Testing

@testable import TrolleyServer

@Suite("Requests of the last hour", .timeLimit(.minutes(20)))
struct RequestHistoryTests {
    private let start = ContinuousClock.now

    @Test("each minute counts for an hour, and minutes without requests are left out")
    func hour() {
        let history = RequestHistory(start: start)
        history.note(.milliseconds(1), failed: false, at: start)
        history.note(.milliseconds(1), failed: true, at: start + .seconds(59))
        history.note(.milliseconds(1), failed: false, at: start + .seconds(180))
        let now = history.recent(at: start + .seconds(190))
        #expect(now.map(\.ago) == [3, 0] && now.map(\.requests) == [2, 1] && now.map(\.failed) == [1, 0])
        #expect(history.recent(at: start + .seconds(3600 - 1)).map(\.ago) == [59, 56])
        #expect(history.recent(at: start + .seconds(3600)).map(\.ago) == [57])
        // The place of the first minute is used again.
        history.note(.milliseconds(1), failed: false, at: start + .seconds(3600))
        #expect(history.recent(at: start + .seconds(3600)).map(\.requests) == [1, 1])
        #expect(history.recent(at: start + .seconds(100_000)).isEmpty)
    }

    @Test(
        "times are at most a quarter too high",
        arguments: [0.001, 0.003, 0.9, 1, 1.5, 2, 47, 250, 999, 30_000, 100_000])
    func times(milliseconds: Double) throws {
        let history = RequestHistory(start: start)
        history.note(.nanoseconds(Int64(milliseconds * 1_000_000)), failed: false, at: start)
        let minute = try #require(history.recent(at: start).first)
        #expect(minute.p50 == minute.p99)
        #expect(minute.p50 >= milliseconds && minute.p50 <= max(0.00125, milliseconds * 1.25))
    }

    @Test("the middle and the slowest of many")
    func parts() throws {
        let history = RequestHistory(start: start)
        for milliseconds in 1...1000 { history.note(.milliseconds(milliseconds), failed: false, at: start) }
        let minute = try #require(history.recent(at: start).first)
        #expect((500...625).contains(minute.p50) && (990...1238).contains(minute.p99))
        history.note(.seconds(100_000), failed: false, at: start)
        history.note(.zero, failed: false, at: start)
        #expect(try #require(history.recent(at: start).first).requests == 1002)
    }
}
