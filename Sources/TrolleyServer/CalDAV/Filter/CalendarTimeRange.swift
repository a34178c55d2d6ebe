import HTTPTypes

/// A `time-range` (RFC 4791 §9.9), for tasks without repetition.
struct CalendarTimeRange: Hashable, Sendable {
    /// Seconds since 1970.
    private let start: Int64
    private let end: Int64

    /// - Throws: `CalendarError` if neither end is given, or one isn't in UTC.
    init(_ element: XMLElement) throws {
        func moment(_ name: String) throws -> Int64? {
            guard let text = element.attributes[name] else { return nil }
            guard let time = CalendarTime(text), time.isUTC else {
                throw CalendarError(
                    .forbidden, .calendar("valid-filter"), "the \(name) of a time-range is a time in UTC")
            }
            return time.seconds
        }
        let (first, last) = (try moment("start"), try moment("end"))
        guard first != nil || last != nil else {
            throw CalendarError(.badRequest, .calendar("valid-filter"), "a time-range has a start or an end")
        }
        (start, end) = (first ?? .min, last ?? .max)
        guard start < end else {
            throw CalendarError(.forbidden, .calendar("valid-filter"), "a time-range ends after its start")
        }
    }

    /// Whether a component is in the range; as the standard's tables say.
    /// - Parameter task: the one that an alarm belongs to.
    func contains(_ component: CalendarComponent, of task: CalendarComponent?, _ clock: CalendarClock) -> Bool {
        switch component.name {
        case "VTODO": contains(task: component, clock)
        case "VALARM": task.map { contains(alarm: component, of: $0, clock) } ?? false
        default: false
        }
    }

    /// Whether the time of a property is in the range.
    func contains(_ line: ContentLine, _ clock: CalendarClock) -> Bool {
        guard let time = clock.seconds(line) else { return false }
        return start <= time && time < end
    }

    private func contains(task: CalendarComponent, _ clock: CalendarClock) -> Bool {
        let times = clock.times(of: task)
        switch (times.start, times.end) {
        case (let begin?, let due?) where task.first("DUE") != nil:
            return (start < due || start <= begin) && (end > begin || end >= due)
        case (let begin?, let due?):
            return start <= due && (end > begin || end >= due)
        case (let begin?, nil): return start <= begin && end > begin
        case (nil, let due?): return start < due && end >= due
        case (nil, nil): break
        }
        let created = task.first("CREATED").flatMap(clock.seconds)
        switch (task.first("COMPLETED").flatMap(clock.seconds), created) {
        case (let completed?, let created?):
            return (start <= created || start <= completed) && (end >= created || end >= completed)
        case (let completed?, nil): return start <= completed && end >= completed
        case (nil, let created?): return end > created
        case (nil, nil): return true
        }
    }

    private func contains(alarm: CalendarComponent, of task: CalendarComponent, _ clock: CalendarClock) -> Bool {
        guard let trigger = alarm.first("TRIGGER") else { return false }
        let time: Int64
        if let offset = clock.duration(trigger) {
            let times = clock.times(of: task)
            guard let base = trigger.parameter("RELATED") == "END" ? times.end : times.start ?? times.end else {
                return false
            }
            time = base + offset
        } else {
            guard let absolute = clock.seconds(trigger) else { return false }
            time = absolute
        }
        if start <= time { return time < end }
        let pause = alarm.first("DURATION").flatMap(clock.duration) ?? 0
        guard pause > 0 else { return false }
        // A snooze of a hundred times is longer than anybody sleeps.
        let repeats = min(100, alarm.first("REPEAT").flatMap { Int64($0.value) } ?? 0)
        // The first one that isn't before the range.
        let first = (start - time + pause - 1) / pause
        return first <= repeats && time + first * pause < end
    }
}

/// Reads the times of an object's lines, with its time zones. Each is read once, however many conditions a filter has.
final class CalendarClock {
    private let zones: [String: CalendarZone]
    /// The zone of times without one; nil: UTC.
    private let floating: CalendarZone?
    private var knownTimes: [ContentLine: Int64?] = [:]
    private var knownDurations: [ContentLine: Int64?] = [:]

    /// The values that were read.
    var reads: Int { knownTimes.count + knownDurations.count }

    init(_ object: CalendarComponent, floating: CalendarZone?) {
        var zones: [String: CalendarZone] = [:]
        for each in object.components where each.name == "VTIMEZONE" {
            if let name = each.first("TZID")?.value { zones[name] = CalendarZone(each) }
        }
        self.zones = zones
        self.floating = floating
    }

    /// Seconds since 1970; nil if the value isn't a time.
    func seconds(_ line: ContentLine) -> Int64? {
        if let known = knownTimes[line] { return known }
        let seconds = read(line)
        knownTimes.updateValue(seconds, forKey: line)
        return seconds
    }

    private func read(_ line: ContentLine) -> Int64? {
        guard let time = CalendarTime(line.value) else { return nil }
        if time.isUTC { return time.seconds }
        let zone = line.parameter("TZID").flatMap { zones[$0] } ?? floating
        return time.seconds - (zone?.offset(at: time.seconds) ?? 0)
    }

    /// The seconds of a duration; nil if the value isn't one.
    func duration(_ line: ContentLine) -> Int64? {
        if let known = knownDurations[line] { return known }
        let seconds = CalendarTime.duration(line.value)
        knownDurations.updateValue(seconds, forKey: line)
        return seconds
    }

    /// When a task begins and when it is due.
    func times(of task: CalendarComponent) -> (start: Int64?, end: Int64?) {
        let start = task.first("DTSTART").flatMap(seconds)
        if let due = task.first("DUE").flatMap(seconds) { return (start, due) }
        let duration = task.first("DURATION").flatMap(self.duration)
        guard let start, let duration else { return (start, nil) }
        return (start, start + duration)
    }
}
