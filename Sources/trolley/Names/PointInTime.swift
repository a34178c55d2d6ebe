import ArgumentParser
import TrolleyClient
import TrolleyJournal

/// A time in the local time zone, as a person writes it: '17:40', 'yesterday 17:40', '2026-11-22 17:40', or RFC 3339.
struct PointInTime: Hashable {
    private enum Day: Hashable {
        /// This many days before today.
        case before(Int)
        case date(CalendarDate)
    }

    private var exact: Timestamp?
    private var day = Day.before(0)
    private var hour = 0
    private var minute = 0

    /// - Throws: `ValidationError`, which is wrong use.
    init(_ text: String) throws(ValidationError) {
        if let time = Timestamp(text) {
            exact = time
            return
        }
        var words = text.lowercased().split(separator: " ")
        let clock = words.popLast()?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard clock.count == 2, let hour = Int(clock[0]), let minute = Int(clock[1]), (0..<24).contains(hour),
            (0..<60).contains(minute), words.count < 2
        else { throw Self.wrong }
        self.hour = hour
        self.minute = minute
        switch words.first {
        case nil: break
        case "today", "heute": day = .before(0)
        case "yesterday", "gestern": day = .before(1)
        case let word?:
            guard let date = CalendarDate(word) else { throw Self.wrong }
            day = .date(date)
        }
    }

    private static var wrong: ValidationError {
        ValidationError(
            localized(
                "Say the time like this: '17:40', 'yesterday 17:40', '2026-11-22 17:40'.",
                de: "Sag die Zeit so: „17:40“, „gestern 17:40“, „22.11.2026 17:40“."))
    }

    /// A change's number, or a time.
    static func point(_ text: String, now: Timestamp = .now()) throws(ValidationError) -> ReplayPoint {
        if let number = Int64(text), number >= 0 { return .change(number) }
        return .time(try PointInTime(text).time(now: now))
    }

    /// The end of that minute.
    /// - Throws: `ValidationError` if the minute has not begun.
    func time(now: Timestamp = .now()) throws(ValidationError) -> Timestamp {
        if let exact { return exact }
        let today = Terminal.localTime(now.milliseconds / 1000)
        let date =
            switch day {
            case .date(let date): [date.year, date.month, date.day]
            case .before(let days): [today[0], today[1], today[2] - days]
            }
        let seconds = Terminal.seconds(year: date[0], month: date[1], day: date[2], hour: hour, minute: minute)
        guard seconds * 1000 <= now.milliseconds else {
            throw ValidationError(
                localized(
                    "That time is still to come. For the day before today: 'yesterday 17:40'.",
                    de: "Diese Zeit kommt noch. Für den Tag vor heute: „gestern 17:40“."))
        }
        return Timestamp(milliseconds: seconds * 1000 + 59_999)
    }
}
