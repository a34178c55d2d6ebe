import HTTPTypes
import TrolleyJournal

/// The filter of a `calendar-query` (RFC 4791 §9.7), for tasks without repetition.
struct CalendarFilter: Sendable {
    /// What must hold of the object.
    let conditions: [Condition]
    let isAny: Bool
    /// The zone of times that have none.
    let floating: CalendarZone?

    indirect enum Condition: Sendable {
        /// There is a component of which all, or any, of these hold; `parts` is empty: there is one.
        case component(String, parts: [Condition], isAny: Bool)
        case noComponent(String)
        case property(String, parts: [Condition], isAny: Bool)
        case noProperty(String)
        /// Of the property: the parameter is there, with this text if one is given.
        case parameter(String, Text?)
        case noParameter(String)
        /// Of the component or the property.
        case time(CalendarTimeRange)
        /// Of the property.
        case text(Text)

        var count: Int {
            switch self {
            case .component(_, let parts, _), .property(_, let parts, _): parts.reduce(1) { $0 + $1.count }
            default: 1
            }
        }
    }

    /// A `text-match` (§9.7.5).
    struct Text: Sendable {
        let text: String
        let isExact: Bool
        let isNegated: Bool
        /// `equals`, `starts-with` and `ends-with` are of CardDAV (RFC 6352 §10.5.4); some clients use them here.
        let type: String
    }

    /// Each is tried on each item.
    private static let mostConditions = 50

    /// The components that may be in others.
    private static let inner: [String: Set<String>] = [
        "VCALENDAR": ["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE", "VAVAILABILITY", "VPOLL"],
        "VEVENT": ["VALARM"], "VTODO": ["VALARM"], "VTIMEZONE": ["STANDARD", "DAYLIGHT"],
    ]
    private static let timed: Set<String> = ["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VALARM"]
    private static let times: Set<String> = [
        "COMPLETED", "CREATED", "DTEND", "DTSTAMP", "DTSTART", "DUE", "LAST-MODIFIED", "RECURRENCE-ID", "TRIGGER",
    ]

    /// - Parameter query: a `calendar-query`.
    /// - Throws: `CalendarError` for a filter that isn't valid, or isn't supported.
    init(_ query: XMLElement) throws {
        guard let element = query.first(.calendar("filter"))?.first(.calendar("comp-filter")),
            element.attributes["name"] == "VCALENDAR"
        else { throw Self.invalid("a query has a filter, which begins with VCALENDAR") }
        guard case .component(_, let parts, let isAny) = try Self.component(element, in: nil) else {
            throw Self.invalid("a filter selects objects that are there")
        }
        guard parts.reduce(0, { $0 + $1.count }) <= Self.mostConditions else {
            throw Self.unsupported("a filter may have \(Self.mostConditions) conditions")
        }
        (conditions, self.isAny) = (parts, isAny)
        floating = try query.first(.calendar("timezone")).map { try Self.zone($0.text) }
    }

    private static func invalid(_ why: String) -> CalendarError {
        CalendarError(.forbidden, .calendar("valid-filter"), why)
    }

    private static func unsupported(_ why: String) -> CalendarError {
        CalendarError(.forbidden, .calendar("supported-filter"), why)
    }

    /// The query's time zone: an object with one `VTIMEZONE` (§9.8).
    private static func zone(_ text: String) throws -> CalendarZone {
        let lines = ContentLine.lines(of: Array(text.trimmed.utf8))
        let object = lines.map { CalendarComponent.components(of: $0) }
        guard let object, object.count == 1, object[0].components.count == 1,
            let zone = CalendarZone(object[0].components[0])
        else {
            throw CalendarError(
                .forbidden, .calendar("valid-calendar-data"), "the query's time zone isn't an object with one VTIMEZONE"
            )
        }
        return zone
    }

    private static func component(_ element: XMLElement, in outer: String?) throws -> Condition {
        guard let name = element.attributes["name"]?.uppercased() else { throw invalid("a comp-filter has a name") }
        if let outer, inner[outer]?.contains(name) != true {
            // Others' own components: none is in a task of ours.
            guard outer == "VCALENDAR", name.hasPrefix("X-") else { throw invalid("\(outer) has no \(name)") }
        }
        if element.first(.calendar("is-not-defined")) != nil { return .noComponent(name) }
        let parts: [Condition] = try element.children.map { part in
            switch part.name {
            case .calendar("comp-filter"): return try Self.component(part, in: name)
            case .calendar("prop-filter"): return try property(part)
            case .calendar("time-range"):
                guard timed.contains(name) else { throw invalid("\(name) has no time") }
                return .time(try CalendarTimeRange(part))
            default: throw unsupported("the filter has an unknown part")
            }
        }
        return .component(name, parts: parts, isAny: element.attributes["test"] == "anyof")
    }

    private static func property(_ element: XMLElement) throws -> Condition {
        guard let name = element.attributes["name"]?.uppercased() else { throw invalid("a prop-filter has a name") }
        if element.first(.calendar("is-not-defined")) != nil { return .noProperty(name) }
        let parts: [Condition] = try element.children.map { part in
            switch part.name {
            case .calendar("text-match"): return .text(try Text(part))
            case .calendar("time-range"):
                guard times.contains(name) else { throw invalid("\(name) isn't a time") }
                return .time(try CalendarTimeRange(part))
            case .calendar("param-filter"):
                guard let parameter = part.attributes["name"]?.uppercased() else {
                    throw invalid("a param-filter has a name")
                }
                if part.first(.calendar("is-not-defined")) != nil { return .noParameter(parameter) }
                return .parameter(parameter, try part.first(.calendar("text-match")).map { try Text($0) })
            default: throw unsupported("the filter has an unknown part")
            }
        }
        return .property(name, parts: parts, isAny: element.attributes["test"] == "anyof")
    }
}

extension CalendarFilter.Text {
    fileprivate init(_ element: XMLElement) throws {
        let collation = element.attributes["collation"] ?? "i;ascii-casemap"
        guard ["i;ascii-casemap", "i;octet", "i;unicode-casemap"].contains(collation) else {
            throw CalendarError(.forbidden, .calendar("supported-collation"), "this collation isn't supported")
        }
        isExact = collation == "i;octet"
        text = isExact ? element.text : element.text.lowercased()
        isNegated = element.attributes["negate-condition"] == "yes"
        type = element.attributes["match-type"] ?? "contains"
    }
}
