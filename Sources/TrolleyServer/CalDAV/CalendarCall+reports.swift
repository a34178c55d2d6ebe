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
            throw CalendarError(.forbidden, .dav("supported-report"), "only lists have reports")
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

    // MARK: sync-collection (RFC 6578 §3)

    private func sync(_ document: XMLElement, _ list: ListID, _ part: String) async throws -> Response {
        // Early drafts had no level, and spelled it otherwise. A list has nothing deeper than its tasks.
        if let level = document.first(.dav("sync-level"))?.text.trimmed, !["1", "infinite", "infinity"].contains(level)
        {
            throw CalendarError(.badRequest, nil, "sync-level must be 1 or infinite")
        }
        let wanted = try WantedProperties(in: document)
        let text = document.first(.dav("sync-token"))?.text.trimmed ?? ""
        let head = try await store.calendarHead(of: list, for: session.account)
        let since = try text.isEmpty ? nil : Self.position(text, on: head, key: routes.tokenKey)
        if since == head.head { return unchanged(at: head) }
        let properties = try await properties()
        var answer = MultiStatus(properties: properties, isMinimal: isMinimal)
        // Before the list, so that no change between the two is left out; what is told twice does no harm.
        let changed = try await since.asyncMap { sequence in
            try await store.changedItems(of: list, for: session.account, since: sequence)
        }
        let calendar = try await store.calendar(of: list, for: session.account)
        answer.calendar = calendar
        let items = calendar.items.filter { item in
            changed.map { $0.contains(item.item.id) || item.sequence > since ?? .start } ?? true
        }
        let gone = (changed ?? []).subtracting(calendar.items.map(\.item.id))
        try checkLimit(document, of: items.count + gone.count)
        for item in items { answer.add(.item(item, of: calendar.head, part: part), wanted) }
        for name in try await names(of: gone, on: list, knownAt: since) {
            answer.addMissing(CalendarResource.path(ofItem: name, in: part))
        }
        answer.set(syncToken: properties.syncToken(of: calendar.head))
        return try await response(to: answer)
    }

    /// What most syncs are told. It asks the database for nothing more.
    private func unchanged(at head: CalendarHead) -> Response {
        var writer = XMLWriter()
        writer.element(.dav("multistatus")) { writer in
            writer.element(
                .dav("sync-token"),
                CalendarProperties.syncToken(of: head.list, at: head.head, head.epoch, routes.tokenKey))
        }
        var response = Response.xml(writer.text, status: .multiStatus)
        if isMinimal { response.headers[.preferenceApplied] = "return=minimal" }
        return response
    }

    /// Items that the client may know by the names that they had.
    private func names(
        of items: Set<ItemID>, on list: ListID, knownAt sequence: SequenceNumber?
    ) async throws -> [String] {
        if items.isEmpty { return [] }
        let chosen = try await store.calendarNames(of: items, on: list, key: Todo.nameKey)
        return items.sorted().map { chosen[$0] ?? "\($0).ics" }
    }

    /// A client may limit the number of results. If there are more, it gets an error, not a part (RFC 6578 §3.6).
    private func checkLimit(_ document: XMLElement, of count: Int) throws {
        guard let text = document.first(.dav("limit"))?.first(.dav("nresults"))?.text.trimmed else { return }
        guard let limit = Int(text), limit >= count else {
            throw CalendarError(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                .dav("number-of-matches-within-limits"), "there are \(count) changes; ask without a limit")
        }
    }

    /// The sequence that a sync token stands for.
    private static func position(
        _ text: String, on head: CalendarHead, key: ChangeToken.Key
    ) throws -> SequenceNumber {
        let prefix = CalendarProperties.tokenPrefix
        guard text.hasPrefix(prefix),
            let token = ChangeToken(String(text.dropFirst(prefix.count)), list: head.list, key: key),
            token.epoch == head.epoch.high, token.sequence <= head.head, token.sequence >= head.trailFrom
        else {
            throw CalendarError(
                .forbidden, .dav("valid-sync-token"), "the sync token is too old, or not of this list; sync afresh")
        }
        return token.sequence
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(_ transform: (Wrapped) async throws -> Value) async throws -> Value? {
        if let self { try await transform(self) } else { nil }
    }
}
