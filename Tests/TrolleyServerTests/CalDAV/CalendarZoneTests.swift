import Testing

@testable import TrolleyServer

@Suite("Time zones of CalDAV queries", .timeLimit(.minutes(20)))
struct CalendarZoneTests {
    private static func zone(_ text: String) throws -> CalendarZone {
        let lines = try #require(ContentLine.lines(of: Array(text.utf8)))
        let component = try #require(CalendarComponent.components(of: lines).first)
        return try #require(CalendarZone(component))
    }

    @Test("a zone's offset is that of the last change before the time, in every year")
    func offsets() throws {
        let zone = try Self.zone(CalendarFilterTests.zone)
        let cases: [(String, Int64)] = [
            ("20000101T000000", -5), ("20240229T120000", -5), ("20270404T015959", -5), ("20270404T020000", -4),
            ("20271031T015959", -4), ("20271031T020000", -5), ("20271231T235959", -5), ("20280101T000000", -5),
            ("99991231T235959", -5),
        ]
        for (text, hours) in cases {
            let time = try #require(CalendarTime(text))
            #expect(zone.offset(at: time.seconds) == hours * 3600, "\(text)")
        }
    }

    @Test(
        "a rule for a fifth weekday skips the years whose month has none (RFC 5545 §3.3.10)",
        arguments: [
            // What it was taken for: the first Sunday of April, the last Sunday of February, the first Sunday of March.
            (3, "5SU", "20260329", "20270404"), (3, "-5SU", "20260301", "20270228"), (2, "5SU", "20040229", "20050306"),
        ])
    func fifthWeekdays(month: Int, day: String, onset: String, none: String) throws {
        let zone = try Self.zone(
            """
            BEGIN:VTIMEZONE\r
            TZID:x\r
            BEGIN:DAYLIGHT\r
            DTSTART:19900101T000000\r
            RRULE:FREQ=YEARLY;BYMONTH=\(month);BYDAY=\(day)\r
            TZOFFSETFROM:+0000\r
            TZOFFSETTO:+0100\r
            END:DAYLIGHT\r
            BEGIN:STANDARD\r
            DTSTART:\(onset)T120000\r
            TZOFFSETFROM:+0100\r
            TZOFFSETTO:+0000\r
            END:STANDARD\r
            END:VTIMEZONE\r

            """)
        for (time, hours) in [("\(onset)T000000", 1), ("\(onset)T120000", 0), ("\(none)T120000", 0)] {
            #expect(zone.offset(at: try #require(CalendarTime(time)).seconds) == Int64(hours) * 3600, "\(time)")
        }
        if month == 2 { #expect(zone.offset(at: try #require(CalendarTime("20320229T000000")).seconds) == 3600) }
    }

    @Test("a rule that has ended holds from its last time on, until another observance begins")
    func endedRules() throws {
        let zone = try Self.zone(
            """
            BEGIN:VTIMEZONE\r
            TZID:x\r
            BEGIN:DAYLIGHT\r
            DTSTART:19800406T020000\r
            RRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=19900401T020000\r
            TZOFFSETFROM:+0000\r
            TZOFFSETTO:+0100\r
            END:DAYLIGHT\r
            BEGIN:STANDARD\r
            DTSTART:19810101T000000\r
            TZOFFSETFROM:+0100\r
            TZOFFSETTO:+0000\r
            END:STANDARD\r
            END:VTIMEZONE\r

            """)
        #expect(zone.offset(at: try #require(CalendarTime("20270101T000000")).seconds) == 3600)
    }
}
