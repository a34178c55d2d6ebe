import TrolleyStore

/// A component of an iCalendar object with its properties and components (RFC 5545 §3.6), as filters see it.
struct CalendarComponent: Sendable {
    let name: String
    var lines: [ContentLine] = []
    var components: [CalendarComponent] = []

    /// An alarm in a task in an object has three. A deep tree can't be released: that takes a call for each level.
    private static let maxDepth = 8

    /// - Parameter lines: a `BEGIN` for each `END`.
    /// - Returns: the outermost components. Those that are nested too deeply are left out.
    static func components(of lines: [ContentLine]) -> [CalendarComponent] {
        var open = [CalendarComponent(name: "")]
        var tooDeep = 0
        for line in lines {
            switch line.name {
            case "BEGIN" where tooDeep > 0 || open.count > maxDepth: tooDeep += 1
            case "END" where tooDeep > 0: tooDeep -= 1
            case _ where tooDeep > 0: continue
            case "BEGIN": open.append(CalendarComponent(name: line.value.uppercased()))
            case "END":
                guard open.count > 1 else { continue }
                let done = open.removeLast()
                open[open.count - 1].components.append(done)
            default: open[open.count - 1].lines.append(line)
            }
        }
        return open[0].components
    }

    func first(_ name: String) -> ContentLine? { lines.first { $0.name == name } }
}

extension CalendarItem {
    /// The item's object.
    var component: CalendarComponent? {
        CalendarComponent.components(
            of: todo.objectLines(createdAt: createdAt, changedAt: changedAt, markedOffAt: markedOffAt)
        ).first
    }
}

extension ContentLine {
    /// The value of a parameter, without quotes; nil: the line has no such parameter.
    /// - Parameter name: in upper case.
    func parameter(_ name: String) -> String? {
        var isQuoted = false
        let parts = head.split(omittingEmptySubsequences: false) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, pair[0].uppercased() == name { return pair[1].filter { $0 != "\"" } }
        }
        return nil
    }
}
