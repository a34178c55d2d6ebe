import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore

/// The report sync-collection (RFC 6578 §3).
extension CalendarCall {
    func sync(_ document: XMLElement, _ list: ListID, _ part: String) async throws -> Response {
        // Early drafts had no level, and spelled it otherwise. A list has nothing deeper than its tasks.
        if let level = document.first(.dav("sync-level"))?.text.trimmed, !["1", "infinite", "infinity"].contains(level)
        {
            throw CalendarError(.badRequest, nil, "sync-level must be 1 or infinite")
        }
        let wanted = try WantedProperties(in: document)
        let limit = try document.resultLimit
        let text = document.first(.dav("sync-token"))?.text.trimmed ?? ""
        let head = try await store.calendarHead(of: list, for: session.account)
        let since = try text.isEmpty ? nil : known(by: text, on: head)
        if since?.sequence == head.head { return unchanged(at: head) }
        let calendar = try await store.calendar(of: list, for: session.account)
        // A first sync tells what is there now. Its later pages tell deletions since.
        let position = since ?? SyncPosition(.start, floor: calendar.head.head)
        var changed: [ItemID: SequenceNumber] = [:]
        if since != nil {
            changed = try await store.changedItems(of: list, for: session.account, since: position.floor)
        }
        let page = try SyncPage(of: calendar, changed: changed, after: position, limit: limit)
        let names = try await names(of: Set(page.changes.filter { $0.task == nil }.map(\.item)), on: list)
        var answer = MultiStatus(properties: try await properties(), isMinimal: isMinimal)
        answer.calendar = calendar
        for change in page.changes {
            if let task = change.task {
                answer.add(.item(task, of: calendar.head, part: part), wanted)
            } else {
                let name = names[change.item] ?? "\(change.item).ics"
                answer.addMissing(CalendarResource.path(ofItem: name, in: part))
            }
        }
        if page.isTruncated { answer.addTruncated(CalendarResource.path(ofList: part)) }
        answer.set(syncToken: page.position.token(on: list, calendar.head.epoch, routes.tokenKey))
        return try await response(to: answer)
    }

    /// What a client knows, by its sync token.
    private func known(by text: String, on head: CalendarHead) throws -> SyncPosition {
        guard let position = SyncPosition(text, on: head, key: routes.tokenKey) else {
            throw CalendarError(
                .forbidden, .dav("valid-sync-token"), "the sync token is too old, or not of this list; sync afresh")
        }
        return position
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

    /// The names by which the client may know items that are gone; items that had none of their own are left out.
    private func names(of items: Set<ItemID>, on list: ListID) async throws -> [ItemID: String] {
        items.isEmpty ? [:] : try await store.calendarNames(of: items, on: list, key: Todo.nameKey)
    }
}

extension XMLElement {
    /// The most results that a client wants (RFC 6578 §3.7, 5323 §5.17); nil: all.
    fileprivate var resultLimit: Int? {
        get throws(CalendarError) {
            guard let limit = first(.dav("limit")) else { return nil }
            let digits = limit.first(.dav("nresults"))?.text.trimmed ?? ""
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw CalendarError(.badRequest, nil, "limit must have nresults, a number")
            }
            return Int(digits) ?? .max
        }
    }
}
