import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension CalendarCall {
    func report() async throws -> Response {
        guard let document = try await document() else {
            throw CalendarError(.badRequest, nil, "a REPORT has a body that says which")
        }
        guard case .list(let part) = resource else {
            switch (resource, document.name) {
            case (.root, .dav("principal-property-search")): return try await people(document)
            case (.root, .dav("principal-search-property-set")): return searchableProperties()
            default: throw CalendarError(.forbidden, .dav("supported-report"), "only lists have such reports")
            }
        }
        let list = try await list(part)
        switch document.name {
        case .calendar("calendar-query"): return try await query(document, list, part)
        case .calendar("calendar-multiget"): return try await multiget(document, list, part)
        case .dav("sync-collection"): return try await sync(document, list, part)
        default: throw CalendarError(.forbidden, .dav("supported-report"), "lists don't have this report")
        }
    }

    private func query(_ document: XMLElement, _ list: ListID, _ part: String) async throws -> Response {
        let filter = try CalendarFilter(document)
        let wanted = try WantedProperties(in: document)
        let calendar = try await store.calendar(of: list, for: session.account)
        var answer = MultiStatus(properties: try await properties(), isMinimal: isMinimal)
        answer.calendar = calendar
        for (index, item) in calendar.items.enumerated() {
            if index.isMultiple(of: 64) {
                try Task.checkCancellation()
                await Task.yield()
            }
            if filter.matches(item) { answer.add(.item(item, of: calendar.head, part: part), wanted) }
        }
        return try await response(to: answer)
    }

    private func multiget(_ document: XMLElement, _ list: ListID, _ part: String) async throws -> Response {
        let wanted = try WantedProperties(in: document)
        let calendar = try await store.calendar(of: list, for: session.account)
        let items = Dictionary(calendar.items.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var answer = MultiStatus(properties: try await properties(), isMinimal: isMinimal)
        answer.calendar = calendar
        for href in document.all(.dav("href")).map({ $0.text.trimmed }).eachOnce {
            if case .item(part, let name)? = CalendarResource(href), let item = items[name] {
                answer.add(.item(item, of: calendar.head, part: part), wanted)
            } else {
                answer.addMissing(href)
            }
        }
        return try await response(to: answer)
    }
}
