import Testing
import TrolleyJournal

@Suite(.timeLimit(.minutes(20)))
struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"),
        (1, "1970-01-01T00:00:00.001Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_772_357_400_250, "2026-03-01T09:30:00.250Z"),
        (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func `A moment is written in RFC 3339, and read back`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text) == Timestamp(milliseconds: milliseconds))
    }

    // RFC 3339 has no such years, but writing one must not end the program.
    @Test(arguments: [
        (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
        (-62_167_219_200_001, "00-1-12-31T23:59:59.999Z"),
        (Int64.max, "292278994-08-17T07:12:55.807Z"),
        (Int64.min, "-292275055-05-16T16:47:04.192Z"),
    ])
    func `A moment beyond four digits of years is written all the same`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test(arguments: [
        "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-02-29T00:00:00Z", "2026-99-99T00:00:00Z",
    ])
    func `A moment that could not be written is refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }
}
