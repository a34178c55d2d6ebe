import TrolleyStore

extension CalendarFilter {
    func matches(_ item: CalendarItem) -> Bool {
        // Most queries ask for all tasks.
        switch conditions.first {
        case nil: return true
        case .component("VTODO", let parts, _) where parts.isEmpty && conditions.count == 1: return true
        default: break
        }
        guard let object = item.component else { return false }
        return matches(object, CalendarClock(object, floating: floating))
    }

    /// - Parameter clock: the object's.
    func matches(_ object: CalendarComponent, _ clock: CalendarClock) -> Bool {
        Self.combined(conditions, isAny) { Self.holds($0, of: object, in: nil, clock) }
    }

    private static func combined(
        _ conditions: [Condition], _ isAny: Bool, _ holds: (Condition) -> Bool
    ) -> Bool {
        conditions.isEmpty || (isAny ? conditions.contains(where: holds) : conditions.allSatisfy(holds))
    }

    private static func holds(
        _ condition: Condition, of component: CalendarComponent, in outer: CalendarComponent?, _ clock: CalendarClock
    ) -> Bool {
        switch condition {
        case .component(let name, let parts, let isAny):
            component.components.contains { each in
                each.name == name && combined(parts, isAny) { holds($0, of: each, in: component, clock) }
            }
        case .noComponent(let name): !component.components.contains { $0.name == name }
        case .property(let name, let parts, let isAny):
            component.lines.contains { line in
                line.name == name && combined(parts, isAny) { holds($0, of: line, clock) }
            }
        case .noProperty(let name): component.first(name) == nil
        case .time(let range): range.contains(component, of: outer, clock)
        case .parameter, .noParameter, .text: false
        }
    }

    private static func holds(_ condition: Condition, of line: ContentLine, _ clock: CalendarClock) -> Bool {
        switch condition {
        case .parameter(let name, let text):
            line.parameter(name).map { text?.matches($0) ?? true } ?? false
        case .noParameter(let name): line.parameter(name) == nil
        case .time(let range): range.contains(line, clock)
        case .text(let text): text.matches(line.unescaped)
        case .component, .noComponent, .property, .noProperty: false
        }
    }
}

extension CalendarFilter.Text {
    fileprivate func matches(_ value: String) -> Bool {
        let value = isExact ? value : value.lowercased()
        let found =
            switch type {
            case "equals": value == text
            case "starts-with": value.hasPrefix(text)
            case "ends-with": value.hasSuffix(text)
            default: text.isEmpty || value.contains(text)
            }
        return found != isNegated
    }
}
