import Testing
import TrolleyJournal

@testable import TrolleyServer

@Suite("Retry-After", .timeLimit(.minutes(20)))
struct RetryAfterTests {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the example of RFC 9110.
    private static let date = Timestamp("1994-11-06T08:49:37Z")

    @Test(
        "seconds, and the three forms of a date, are seconds from now",
        arguments: [
            "90", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func forms(text: String) throws {
        let now = try #require(Self.date).advanced(byMilliseconds: -90_000)
        #expect(RetryAfter.seconds(text, now: now) == 90)
    }

    @Test("a date in the past is now, and a part of a second counts as one")
    func past() throws {
        let date = try #require(Self.date)
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(RetryAfter.seconds(text, now: date.advanced(byMilliseconds: 5_000)) == 0)
        #expect(RetryAfter.seconds(text, now: date.advanced(byMilliseconds: -1)) == 1)
    }

    @Test("of two digits of a year, the nearest one is meant that isn't more than 50 years ahead")
    func twoDigits() throws {
        let now = try #require(Timestamp("2026-11-24T00:00:00Z"))
        #expect(RetryAfter.seconds("Tuesday, 24-Nov-26 00:01:00 GMT", now: now) == 60)
        #expect(RetryAfter.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 0)
    }

    @Test("more seconds than a number holds are many")
    func many() throws { #expect(RetryAfter.seconds("99999999999999999999", now: try #require(Self.date)) == .max) }

    @Test(
        "anything else is ignored",
        arguments: [
            "", "-1", "+5", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
        ])
    func invalid(text: String) throws { #expect(RetryAfter.seconds(text, now: try #require(Self.date)) == nil) }
}
