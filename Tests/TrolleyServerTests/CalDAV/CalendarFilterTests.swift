import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Filters of CalDAV queries", .timeLimit(.minutes(20)))
struct CalendarFilterTests {
    static let zone = """
        BEGIN:VTIMEZONE\r
        TZID:US/Eastern\r
        BEGIN:DAYLIGHT\r
        DTSTART:20000404T020000\r
        RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4\r
        TZOFFSETFROM:-0500\r
        TZOFFSETTO:-0400\r
        END:DAYLIGHT\r
        BEGIN:STANDARD\r
        DTSTART:20001026T020000\r
        RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r
        TZOFFSETFROM:-0400\r
        TZOFFSETTO:-0500\r
        END:STANDARD\r
        END:VTIMEZONE\r

        """

    private static func query(_ filter: String, data: String = "<c:calendar-data/>", more: String = "") -> String {
        "<c:calendar-query xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'><prop><getetag/>\(data)</prop><c:filter>\(filter)</c:filter>\(more)</c:calendar-query>"
    }

    private static func todo(_ inner: String) -> String {
        "<c:comp-filter name='VCALENDAR'><c:comp-filter name='VTODO'>\(inner)</c:comp-filter></c:comp-filter>"
    }

    private static func range(_ start: String, _ end: String) -> String {
        "<c:time-range start='\(start)' end='\(end)'/>"
    }

    /// The names of the tasks that a query finds, without what comes after the dot.
    private static func found(_ filter: String, more: String = "", in scene: CalendarScene) async throws -> [String] {
        let answer = try await scene.call(
            "REPORT", scene.path, query(filter, more: more), headers: ["depth": "1"])
        try #require(answer.status == 207, "\(answer.text)")
        return answer.text.matches(of: /lists\/[^<]*\/([^<\/]*)\.ics</).map { String($0.output.1) }
    }

    @Test("a time range finds tasks by start, due time and duration, in their time zones")
    func timeRanges() async throws {
        try await CalendarScene.with { scene in
            func put(_ name: String, _ lines: String...) async throws {
                let task = CalendarScene.task(name, ["SUMMARY:\(name)"] + lines)
                    .replacing("BEGIN:VTODO\r\n", with: Self.zone + "BEGIN:VTODO\r\n")
                #expect(try await scene.call("PUT", scene.path + "\(name).ics", task).status == 201)
            }
            // 15:00 to 16:00 UTC, since it's winter; 14:00 to 15:00 in summer.
            try await put("winter", "DTSTART;TZID=US/Eastern:20270101T100000", "DURATION:PT1H")
            try await put("summer", "DTSTART;TZID=US/Eastern:20270701T100000", "DUE;TZID=US/Eastern:20270701T110000")
            try await put("due", "DUE;VALUE=DATE:20270301")
            try await put("floating", "DTSTART:20270401T230000")
            func found(_ start: String, _ end: String, more: String = "") async throws -> [String] {
                try await Self.found(Self.todo(Self.range(start, end)), more: more, in: scene)
            }
            #expect(try await found("20270101T153000Z", "20270101T170000Z") == ["winter"])
            #expect(try await found("20270101T100000Z", "20270101T150000Z") == [])
            #expect(try await found("20270701T143000Z", "20270701T150000Z") == ["summer"])
            #expect(try await found("20270701T150000Z", "20270701T160000Z") == [])
            #expect(try await found("20270228T120000Z", "20270301T000000Z") == ["due"])
            #expect(try await found("20270301T000000Z", "20270302T000000Z") == [])
            // A time without a zone is one of the query's zone, otherwise of UTC.
            #expect(try await found("20270401T223000Z", "20270401T233000Z") == ["floating"])
            let zone = "<c:timezone>BEGIN:VCALENDAR\r\n\(Self.zone)END:VCALENDAR\r\n</c:timezone>"
            #expect(try await found("20270401T223000Z", "20270401T233000Z", more: zone) == [])
            #expect(try await found("20270402T033000Z", "20270402T043000Z", more: zone) == ["floating"])
        }
    }

    @Test("filters look at alarms, at parameters and at the case of letters as they say")
    func details() async throws {
        try await CalendarScene.with { scene in
            try await scene.put(
                "milk.ics", "SUMMARY:Milk", "DTSTART;TZID=US/Pacific:20270101T100000", "BEGIN:VALARM", "ACTION:DISPLAY",
                "TRIGGER;VALUE=DATE-TIME:20270101T080000Z", "END:VALARM", uid: "milk")
            try await scene.put("bread.ics", "SUMMARY:bread", uid: "bread")
            func found(_ inner: String) async throws -> [String] { try await Self.found(Self.todo(inner), in: scene) }
            func summary(_ match: String) -> String { "<c:prop-filter name='SUMMARY'>\(match)</c:prop-filter>" }
            #expect(try await found("<c:comp-filter name='VALARM'/>") == ["milk"])
            #expect(
                try await found("<c:comp-filter name='VALARM'><c:is-not-defined/></c:comp-filter>") == ["bread"])
            for (end, names) in [("20270101T080001Z", ["milk"]), ("20270101T080000Z", [])] {
                let alarm = "<c:comp-filter name='VALARM'>\(Self.range("20270101T070000Z", end))</c:comp-filter>"
                #expect(try await found(alarm) == names)
            }
            let zone = "<c:param-filter name='TZID'><c:text-match>paci</c:text-match></c:param-filter>"
            #expect(try await found("<c:prop-filter name='DTSTART'>\(zone)</c:prop-filter>") == ["milk"])
            #expect(try await found(summary("<c:text-match>MIL</c:text-match>")) == ["milk"])
            #expect(try await found(summary("<c:text-match collation='i;octet'>mil</c:text-match>")) == [])
            #expect(try await found(summary("<c:text-match negate-condition='yes'>mil</c:text-match>")) == ["bread"])
            let prefix = "<c:text-match match-type='starts-with'>ilk</c:text-match>"
            #expect(try await found(summary(prefix)) == [])
            let any =
                "<c:comp-filter name='VTODO' test='anyof'>\(summary("<c:text-match>milk</c:text-match>"))<c:prop-filter name='DTSTART'><c:is-not-defined/></c:prop-filter></c:comp-filter>"
            #expect(
                try await Self.found("<c:comp-filter name='VCALENDAR'>\(any)</c:comp-filter>", in: scene)
                    == ["milk", "bread"])
        }
    }

    @Test("a filter that isn't valid is refused, and says so")
    func invalid() async throws {
        let cases: [(filter: String, condition: String)] = [
            ("<c:comp-filter name='VTODO'/>", "valid-filter"),
            (
                "<c:comp-filter name='VCALENDAR'><c:time-range start='20270101T000000Z'/></c:comp-filter>",
                "valid-filter"
            ),
            ("<c:comp-filter name='VCALENDAR'><c:comp-filter name='VALARM'/></c:comp-filter>", "valid-filter"),
            (Self.todo("<c:comp-filter name='VTODO'/>"), "valid-filter"),
            (Self.todo(Self.range("20270101", "20270102")), "valid-filter"),
            (Self.todo(Self.range("20270101T000000", "20270102T000000")), "valid-filter"),
            (Self.todo(Self.range("20270102T000000Z", "20270101T000000Z")), "valid-filter"),
            (
                Self.todo(
                    "<c:prop-filter name='SUMMARY'>\(Self.range("20270101T000000Z", "20270102T000000Z"))</c:prop-filter>"
                ),
                "valid-filter"
            ),
            (
                Self.todo(
                    "<c:prop-filter name='SUMMARY'><c:text-match collation='i;x'>a</c:text-match></c:prop-filter>"),
                "supported-collation"
            ),
        ]
        try await CalendarScene.with { scene in
            for (filter, condition) in cases {
                let answer = try await scene.call("REPORT", scene.path, Self.query(filter), headers: ["depth": "1"])
                #expect(answer.status == 403 && answer.text.contains("<c:\(condition)/>"), "\(filter) \(answer.text)")
            }
        }
    }

    @Test("a query for another form of data, or with a time zone that is none, is refused")
    func forms() async throws {
        try await CalendarScene.with { scene in
            for data in ["content-type='text/vcalendar'", "version='3.0'"] {
                let query = Self.query(Self.todo(""), data: "<c:calendar-data \(data)/>")
                let answer = try await scene.call("REPORT", scene.path, query, headers: ["depth": "1"])
                #expect(answer.status == 403 && answer.text.contains("<c:supported-calendar-data/>"), "\(answer.text)")
            }
            let zone = "<c:timezone>BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nEND:VTODO\nEND:VCALENDAR</c:timezone>"
            let query = Self.query(Self.todo(""), more: zone)
            let answer = try await scene.call("REPORT", scene.path, query, headers: ["depth": "1"])
            #expect(answer.status == 403 && answer.text.contains("<c:valid-calendar-data/>"), "\(answer.text)")
            let none = Self.query(Self.todo("<c:time-range/>"))
            #expect(try await scene.call("REPORT", scene.path, none, headers: ["depth": "1"]).status == 400)
        }
    }

    @Test("a time zone of the query that is nested very deeply, or changes very often, is refused at once")
    func hugeZones() async throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "BEGIN:A\n", count: depth) + "UID:a\n" + String(repeating: "END:A\n", count: depth)
        }
        let lines = try #require(ContentLine.lines(of: Array(nested(20).utf8)))
        var (depth, level) = (0, CalendarComponent.components(of: lines))
        while let component = level.first { (depth, level) = (depth + 1, component.components) }
        #expect(depth == 8)
        let rule = "BEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETTO:+0000\nEND:STANDARD\n"
        let often = "BEGIN:VTIMEZONE\nTZID:a\n\(String(repeating: rule, count: 1001))END:VTIMEZONE\n"
        try await CalendarScene.with { scene in
            try await scene.put("milk.ics", "SUMMARY:Milk")
            for zone in [nested(20_000), often] {
                let query = Self.query(
                    Self.todo(Self.range("20270101T000000Z", "20270102T000000Z")),
                    more: "<c:timezone>BEGIN:VCALENDAR\n\(zone)END:VCALENDAR</c:timezone>")
                let answer = try await scene.call("REPORT", scene.path, query, headers: ["depth": "1"])
                #expect(answer.status == 403 && answer.text.contains("<c:valid-calendar-data/>"))
            }
        }
    }

    @Test(
        "each time of a task is read once, however many conditions a filter has, and an alarm snoozes 100 times at most",
        arguments: [
            // The alarm is at 01:00, and then every five minutes.
            ("20270101T091500Z", "20270101T091600Z", 98, false), ("20270101T091500Z", "20270101T091600Z", 99, true),
            ("20270101T091501Z", "20270101T091959Z", 99, false), ("20270101T092000Z", "20270101T092001Z", 1000, true),
            ("20270101T092500Z", "20270101T092600Z", 1000, false), ("20270101T005900Z", "20270101T010001Z", 0, true),
        ])
    func reads(start: String, end: String, repeats: Int, isFound: Bool) throws {
        let ranges = (10..<50).map { Self.range("20270101T0000\($0)Z", "20270101T0001\($0)Z") }
        let alarm = "<c:comp-filter name='VALARM'>\(Self.range(start, end))</c:comp-filter>"
        let query = Self.query(Self.todo(ranges.joined() + alarm))
        let filter = try CalendarFilter(XMLReader.read(Array(query.utf8)))
        let task = CalendarScene.task(
            "milk",
            [
                "SUMMARY:milk", "DTSTART:20270101T000000Z", "DURATION:P1D", "BEGIN:VALARM", "ACTION:DISPLAY",
                "TRIGGER:PT1H", "DURATION:PT5M", "REPEAT:\(repeats)", "END:VALARM",
            ])
        let lines = try #require(ContentLine.lines(of: Array(task.utf8)))
        let object = try #require(CalendarComponent.components(of: lines).first)
        let clock = CalendarClock(object, floating: nil)
        #expect(filter.matches(object, clock) == isFound)
        // DTSTART and DURATION of the task, TRIGGER, and DURATION of the alarm if the first time isn't in the range.
        #expect(clock.reads == (repeats == 0 ? 3 : 4))
    }

    @Test("durations and times are read as RFC 5545 writes them, and none is too long to be added")
    func values() {
        #expect(CalendarTime.duration("-P1DT2H30M") == -95_400)
        #expect(CalendarTime.duration("P2W") == 1_209_600 && CalendarTime.duration("+PT15M") == 900)
        for text in ["", "P", "1H", "PT5", "P1Y", "P99999999999W", String(repeating: "P", count: 9)] {
            #expect(CalendarTime.duration(text) == nil, "\(text)")
        }
        // Each part is short enough, and all together are more than any number.
        #expect(CalendarTime.duration("P" + String(repeating: "99999W", count: 300)) == nil)
        #expect(CalendarTime.duration("P" + String(repeating: "999999999W", count: 20_000)) == nil)
        #expect(CalendarTime("20270101")?.seconds == CalendarTime("20270101T000000Z")?.seconds)
        for text in ["2027", "20271301", "20270101T25", "20270101T000000X", "yyyymmdd"] {
            #expect(CalendarTime(text) == nil, "\(text)")
        }
    }
}
