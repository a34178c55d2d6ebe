import HTTPTypes
import TrolleyStore

/// The filter of a `calendar-query` (RFC 4791 §9.7), for tasks without repetition.
struct CalendarFilter: Sendable {
    /// What must hold of the `VTODO`; nil: nothing matches, such as a filter for events.
    private var conditions: [Condition]?

    private indirect enum Condition: Sendable {
        case isDefined(String)
        case isNotDefined(String)
        case text(property: String, text: String, isNegated: Bool)
        case any([Condition])

        var count: Int { if case .any(let parts) = self { parts.count } else { 1 } }
    }

    /// - Throws: `CalendarError` for what isn't a filter, or is one that isn't supported.
    init(_ element: XMLElement) throws {
        guard let calendar = element.first(.calendar("comp-filter")), calendar.attributes["name"] == "VCALENDAR" else {
            throw CalendarError(.forbidden, .calendar("valid-filter"), "a filter begins with VCALENDAR")
        }
        if calendar.first(.calendar("is-not-defined")) != nil { return }
        var found: [Condition] = []
        for component in calendar.all(.calendar("comp-filter")) {
            let isAbsent = component.first(.calendar("is-not-defined")) != nil
            guard component.attributes["name"] == "VTODO" else {
                if isAbsent { continue }
                return
            }
            if isAbsent { return }
            let parts = try component.children.compactMap(Self.condition)
            if component.attributes["test"] == "anyof", !parts.isEmpty {
                found.append(.any(parts))
            } else {
                found += parts
            }
        }
        guard found.reduce(0, { $0 + $1.count }) <= Self.mostConditions else {
            throw CalendarError(
                .forbidden, .calendar("supported-filter"), "a filter may have \(Self.mostConditions) conditions")
        }
        conditions = found
    }

    /// Each is tried on each item.
    private static let mostConditions = 50

    private static func condition(_ element: XMLElement) throws -> Condition? {
        switch element.name {
        // A task without a start and a due time is in every range (§9.9), and a list's items have none of their own.
        case .calendar("time-range"): return nil
        case .calendar("prop-filter"):
            guard let name = element.attributes["name"]?.uppercased() else {
                throw CalendarError(.forbidden, .calendar("valid-filter"), "a prop-filter has a name")
            }
            guard element.first(.calendar("param-filter")) == nil else {
                throw CalendarError(.forbidden, .calendar("supported-filter"), "filters by parameters aren't supported")
            }
            if element.first(.calendar("is-not-defined")) != nil { return .isNotDefined(name) }
            guard let match = element.first(.calendar("text-match")) else { return .isDefined(name) }
            let collation = match.attributes["collation"] ?? "i;ascii-casemap"
            guard ["i;ascii-casemap", "i;octet", "i;unicode-casemap"].contains(collation) else {
                throw CalendarError(.forbidden, .calendar("supported-collation"), "this collation isn't supported")
            }
            return .text(
                property: name, text: match.text.lowercased(), isNegated: match.attributes["negate-condition"] == "yes")
        case .calendar("comp-filter"):
            // Alarms and the like.
            return element.first(.calendar("is-not-defined")) == nil
                ? .isDefined("BEGIN:\(element.attributes["name"]?.uppercased() ?? "")") : nil
        case .calendar("is-not-defined"): return nil
        default: throw CalendarError(.forbidden, .calendar("supported-filter"), "the filter has an unknown part")
        }
    }

    func matches(_ item: CalendarItem) -> Bool {
        guard let conditions else { return false }
        if conditions.isEmpty { return true }
        let lines = item.todo.todoLines(
            createdAt: item.createdAt, changedAt: item.changedAt, markedOffAt: item.markedOffAt)
        return conditions.allSatisfy { Self.holds($0, of: lines) }
    }

    private static func holds(_ condition: Condition, of lines: [ContentLine]) -> Bool {
        switch condition {
        case .isDefined(let name):
            lines.contains { line in line.name == name || name.hasPrefix("BEGIN:") && line.text == name }
        case .isNotDefined(let name): !lines.contains { $0.name == name }
        case .text(let property, let text, let isNegated):
            lines.contains { $0.name == property && $0.unescaped.lowercased().contains(text) } != isNegated
        case .any(let conditions): conditions.contains { holds($0, of: lines) }
        }
    }
}
