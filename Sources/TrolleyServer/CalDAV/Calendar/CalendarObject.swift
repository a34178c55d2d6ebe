/// An iCalendar object (RFC 5545 §3.4) with one task.
struct CalendarObject: Sendable {
    /// The lines directly in the `VTODO`, without its components.
    var lines: [ContentLine]
    /// The lines of components in the `VTODO`, such as alarms, with their `BEGIN` and `END`.
    var components: [ContentLine]
    /// The lines of the time zones.
    var timeZones: [ContentLine]

    /// Why an object is not taken.
    enum Refusal: Error, Hashable {
        /// Not iCalendar, or not valid.
        case malformed(String)
        /// Another component than one `VTODO`.
        case unsupportedComponent
        /// A `VTODO` with what an object in a collection can't have (RFC 4791 §4.1): other components, or a method.
        case several(String)
        /// A repeating task. A list's item is bought once; half a series would be lost.
        case recurring
    }

    init(_ bytes: [UInt8]) throws(Refusal) {
        guard let all = ContentLine.lines(of: bytes) else { throw .malformed("the body isn't an iCalendar object") }
        guard all.first?.isBegin("VCALENDAR") == true, all.last?.isEnd("VCALENDAR") == true, all.count >= 2 else {
            throw .malformed("the body isn't one VCALENDAR")
        }
        var (todo, inner, zones): ([ContentLine]?, [ContentLine], [ContentLine]) = (nil, [], [])
        var open: [String] = []
        var hasOthers = false
        for line in all.dropFirst().dropLast() {
            if line.name == "BEGIN" {
                let component = line.value.uppercased()
                if open.isEmpty {
                    if component != "VTODO" && component != "VTIMEZONE" { hasOthers = true }
                    if component == "VTODO" {
                        guard todo == nil else { throw .recurring }
                        todo = []
                    }
                }
                guard open.count < 8 else { throw .malformed("the object is nested too deeply") }
                open.append(component)
            }
            if open.isEmpty, line.name == "METHOD" { throw .several("an object with METHOD is a message, not a task") }
            switch (open.first, open.count) {
            case ("VTIMEZONE"?, _): zones.append(line)
            case ("VTODO"?, 1): if line.name != "BEGIN", line.name != "END" { todo?.append(line) }
            case ("VTODO"?, _): inner.append(line)
            default: break
            }
            if line.name == "END" {
                guard open.popLast() == line.value.uppercased() else { throw .malformed("BEGIN and END don't match") }
            }
        }
        guard open.isEmpty else { throw .malformed("a component doesn't end") }
        guard let todo else { throw .unsupportedComponent }
        if hasOthers { throw .several("an object has one task, and no other components beside it") }
        let recurrence: Set<String> = ["RRULE", "RDATE", "EXRULE", "EXDATE", "RECURRENCE-ID"]
        guard !todo.contains(where: { recurrence.contains($0.name) }) else { throw .recurring }
        for name in ["UID", "SUMMARY", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "DESCRIPTION", "DUE", "DTSTART"] {
            guard todo.count(where: { $0.name == name }) <= 1 else { throw .malformed("\(name) occurs twice") }
        }
        (lines, components, timeZones) = (todo, inner, zones)
    }

    func first(_ name: String) -> ContentLine? { lines.first { $0.name == name } }
}

extension ContentLine {
    fileprivate func isBegin(_ component: String) -> Bool { name == "BEGIN" && value.uppercased() == component }
    fileprivate func isEnd(_ component: String) -> Bool { name == "END" && value.uppercased() == component }
}
