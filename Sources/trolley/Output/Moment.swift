import TrolleyClient
import TrolleyJournal

/// A time in words, in the local time zone: 'in 2 minutes', 'yesterday 17:40'. Programs get RFC 3339 in UTC.
struct Moment {
    let time: Timestamp
    let now: Timestamp
    /// The local date and time.
    var local: (Timestamp) -> LocalTime = LocalTime.init

    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000

    var words: String {
        let distance = time.milliseconds - now.milliseconds
        let minutes = (abs(distance) + Self.minute / 2) / Self.minute
        if minutes == 0 {
            return distance > 0 ? localized("in a moment", de: "gleich") : localized("just now", de: "gerade eben")
        }
        if abs(distance) < Self.hour {
            let unit = Noun.minute.counted(minutes)
            return distance > 0
                ? localized("in \(unit)", de: "in \(unit)") : localized("\(unit) ago", de: "vor \(unit)")
        }
        return day
    }

    /// The time of day, with the date unless it is today. Doesn't change as time passes.
    var since: String { local(time).date == local(now).date ? local(time).clock : day }

    private var day: String {
        let there = local(time)
        for (days, name) in [
            (0, localized("today", de: "heute")), (-1, localized("yesterday", de: "gestern")),
            (1, localized("tomorrow", de: "morgen")),
        ] {
            let other = local(now.advanced(byMilliseconds: Int64(days) * Self.day))
            if there.date == other.date { return "\(name) \(there.clock)" }
        }
        return "\(CalendarDate.words(there.date)) \(there.clock)"
    }
}

/// A date and a time of day.
struct LocalTime: Hashable {
    /// `2026-11-22`.
    var date: String
    /// `17:40`.
    var clock: String
}

extension LocalTime {
    init(_ time: Timestamp) {
        let parts = Terminal.localTime(time.milliseconds / 1000).map { $0 < 10 ? "0\($0)" : "\($0)" }
        self.init(date: parts[0..<3].joined(separator: "-"), clock: parts[3..<5].joined(separator: ":"))
    }
}

extension Timestamp {
    /// The time in words, relative to now.
    var words: String { Moment(time: self, now: .now()).words }
}
