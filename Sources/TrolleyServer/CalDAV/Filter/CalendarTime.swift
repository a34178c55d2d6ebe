import TrolleyJournal

/// A time as iCalendar writes it (RFC 5545 §3.3.4 and 3.3.5): `20260301`, `20260301T093000` or `20260301T093000Z`.
struct CalendarTime: Hashable, Sendable {
    /// Seconds from 1970-01-01T00:00:00 to it, both in its own time zone.
    let seconds: Int64
    let isUTC: Bool

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var time = "00:00:00"
        if bytes.count != 8 {
            guard bytes.count == 15 || (bytes.count == 16 && bytes[15] == UInt8(ascii: "Z")),
                bytes[8] == UInt8(ascii: "T")
            else { return nil }
            time = "\(part(9..<11)):\(part(11..<13)):\(part(13..<15))"
        }
        guard let moment = Timestamp("\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(time)Z") else { return nil }
        seconds = moment.milliseconds / 1000
        isUTC = bytes.count == 16
    }

    /// The seconds of a duration (§3.3.6) such as `-P1DT2H30M`; nil if it isn't one.
    static func duration(_ text: String) -> Int64? {
        var rest = text[...]
        let sign: Int64 = rest.hasPrefix("-") ? -1 : 1
        if rest.hasPrefix("-") || rest.hasPrefix("+") { rest.removeFirst() }
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        let units: [Character: Int64] = ["W": 604_800, "D": 86_400, "H": 3600, "M": 60, "S": 1]
        var (total, number): (Int64, Int64?) = (0, nil)
        for character in rest where character != "T" {
            if let digit = character.wholeNumberValue, character.isASCII {
                let next = (number ?? 0) * 10 + Int64(digit)
                guard next < 1_000_000_000 else { return nil }
                number = next
            } else {
                guard let unit = units[character], let count = number else { return nil }
                total += count * unit
                // Some 3,000 years: no sum with it overflows.
                guard total < 100_000_000_000 else { return nil }
                number = nil
            }
        }
        return number == nil ? sign * total : nil
    }
}

/// A time zone of an iCalendar object (RFC 5545 §3.6.5).
struct CalendarZone: Sendable {
    /// Each is tried for each time; a rule takes as long as ten. Written out year by year, a zone has some 300.
    private static let mostOnsets = 1000

    private let observances: [Observance]

    /// When an offset begins, again and again.
    fileprivate struct Observance: Sendable {
        let start: Int64
        let offset: Int64
        let offsetBefore: Int64
        let rule: YearlyRule?
        /// Sorted.
        let dates: [Int64]
    }

    /// `FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`: the form in which time zones are written.
    fileprivate struct YearlyRule: Sendable {
        let month: Int64
        /// From the month's start, or from its end if negative.
        let week: Int64
        /// 0: Sunday.
        let weekday: Int64
        let until: Int64
        let lastYear: Int64
    }

    /// - Returns: nil if the component isn't a `VTIMEZONE` with offsets, or has too many.
    init?(_ component: CalendarComponent) {
        guard component.name == "VTIMEZONE" else { return nil }
        observances = component.components.compactMap { part -> Observance? in
            guard let start = part.first("DTSTART").flatMap({ CalendarTime($0.value) }),
                let offset = part.first("TZOFFSETTO").flatMap({ Self.offset($0.value) })
            else { return nil }
            let dates = part.lines.filter { $0.name == "RDATE" }.flatMap(\.list).compactMap {
                CalendarTime($0)?.seconds
            }
            return Observance(
                start: start.seconds, offset: offset,
                offsetBefore: part.first("TZOFFSETFROM").flatMap { Self.offset($0.value) } ?? offset,
                rule: part.first("RRULE").flatMap { YearlyRule($0.value) }, dates: dates.sorted())
        }
        let onsets = observances.reduce(0) { $0 + ($1.rule == nil ? 1 : 10) + $1.dates.count }
        guard !observances.isEmpty, onsets <= Self.mostOnsets else { return nil }
    }

    /// The seconds that the zone is ahead of UTC at a local time: those of the last change before it.
    func offset(at local: Int64) -> Int64 {
        let year = CalendarDay.year(of: local)
        var (latest, offset): (Int64, Int64?) = (.min, nil)
        for observance in observances {
            guard let onset = observance.onset(before: local, in: year), onset > latest else { continue }
            (latest, offset) = (onset, observance.offset)
        }
        return offset ?? observances.min { $0.start < $1.start }?.offsetBefore ?? 0
    }

    /// `-0500`, `+013000`.
    private static func offset(_ text: String) -> Int64? {
        let digits = text.dropFirst()
        guard text.hasPrefix("-") || text.hasPrefix("+"), digits.count == 4 || digits.count == 6,
            let number = Int64(digits),
            number >= 0
        else { return nil }
        let full = digits.count == 4 ? number * 100 : number
        let seconds = full / 10_000 * 3600 + full / 100 % 100 * 60 + full % 100
        return text.hasPrefix("-") ? -seconds : seconds
    }
}

extension CalendarZone.Observance {
    /// The last time at or before a local time when the observance began.
    fileprivate func onset(before local: Int64, in year: Int64) -> Int64? {
        var latest = dates.last { $0 <= local }
        func note(_ onset: Int64) {
            if onset <= local, onset > latest ?? .min { latest = onset }
        }
        note(start)
        guard let rule else { return latest }
        let time = (start % 86_400 + 86_400) % 86_400
        // Most rules fall into each year. A fifth Sunday of February comes at least every 40 years.
        let last = min(year, rule.lastYear)
        for each in stride(from: last, through: last - 40, by: -1) {
            guard let day = rule.day(in: each) else { continue }
            let onset = day * 86_400 + time
            if onset < start { break }
            if onset <= rule.until, onset <= local {
                note(onset)
                break
            }
        }
        return latest
    }
}

extension CalendarZone.YearlyRule {
    fileprivate init?(_ text: String) {
        var parts: [String: String] = [:]
        for part in text.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { parts[String(pair[0])] = String(pair[1]) }
        }
        let days = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
        guard parts["FREQ"] == "YEARLY", let month = parts["BYMONTH"].flatMap({ Int64($0) }), (1...12).contains(month),
            let day = parts["BYDAY"], let weekday = days.firstIndex(of: String(day.suffix(2))),
            let week = Int64(day.dropLast(2)), (1...5).contains(week.magnitude)
        else { return nil }
        let until = parts["UNTIL"].flatMap { CalendarTime($0)?.seconds }
        self.init(
            month: month, week: week, weekday: Int64(weekday), until: until ?? .max,
            lastYear: until.map(CalendarDay.year(of:)) ?? .max)
    }

    /// The day since 1970 on which the rule falls in a year; nil if the month has no fifth such weekday then (RFC 5545 §3.3.10).
    fileprivate func day(in year: Int64) -> Int64? {
        // 1970 began on a Thursday.
        func weekday(of day: Int64) -> Int64 { ((day + 4) % 7 + 7) % 7 }
        let first = CalendarDay.first(of: month, in: year)
        let last = CalendarDay.first(of: month % 12 + 1, in: month == 12 ? year + 1 : year) - 1
        let day =
            week > 0
            ? first + (self.weekday - weekday(of: first) + 7) % 7 + (week - 1) * 7
            : last - (weekday(of: last) - self.weekday + 7) % 7 + (week + 1) * 7
        return first <= day && day <= last ? day : nil
    }
}

/// Days of the Gregorian calendar, counted from 1970-01-01.
private enum CalendarDay {
    /// From 0000-03-01 to 1970-01-01. A year that begins in March has its leap day at its end.
    private static let toMarchOfYear0: Int64 = 719_468

    /// The first day of a month.
    static func first(of month: Int64, in year: Int64) -> Int64 {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        return year * 365 + floored(year, 4) - floored(year, 100) + floored(year, 400) + (153 * month + 2) / 5
            - toMarchOfYear0
    }

    /// The year of a local time in seconds.
    static func year(of seconds: Int64) -> Int64 {
        let day = floored(seconds, 86_400)
        // 400 years have 146,097 days, so this is the year or one beside it.
        let guess = 1970 + floored(day * 400, 146_097)
        if day < first(of: 1, in: guess) { return guess - 1 }
        return day < first(of: 1, in: guess + 1) ? guess : guess + 1
    }

    private static func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }
}
