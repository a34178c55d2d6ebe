import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension CalendarCall {
    // MARK: PUT

    func put() async throws -> Response {
        guard case .item(let part, let name) = resource else {
            throw CalendarError(.methodNotAllowed, nil, "a task is written to an address in a list")
        }
        try requireWriting()
        guard (1...255).contains(name.utf8.count), name.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
            throw CalendarError(.forbidden, nil, "the last part of the address must have 1 to 255 bytes")
        }
        if let type = request.headers[.contentType]?.lowercased(), !type.hasPrefix("text/calendar") {
            throw CalendarError(.forbidden, .calendar("supported-calendar-data"), "a list has text/calendar only")
        }
        let todo = try Todo(CalendarObject(try await body()))
        let list = try await list(part)
        return try await writing(to: list) {
            let task = CalendarWanted.Task(
                uid: todo.uid, item: ItemID(uid: todo.uid, in: list), order: todo.order)
            let spot = try await spot(CalendarWanted(named: name, task: task), on: list)
            guard spot.head.permission == .readWrite else { throw StoreError.readOnly }
            if let present = spot.present { return try await write(todo, over: present, at: spot) }
            return try await create(todo, named: name, as: task.item, at: spot, part)
        }
    }

    private func spot(_ wanted: CalendarWanted, on list: ListID) async throws -> CalendarSpot {
        try await store.calendarSpot(of: list, for: session.account, countedFor: session.device, wanted)
    }

    private func append(_ drafts: [EntryDraft], at spot: CalendarSpot) async throws {
        try await append(drafts, to: spot.head.list, after: spot.lastCounter, plannedAt: spot.head.head)
    }

    private func write(_ todo: Todo, over present: CalendarItem, at spot: CalendarSpot) async throws -> Response {
        let etag = present.etag(in: spot.head.epoch)
        let preconditions = Preconditions(request.headers)
        if let none = preconditions.noneMatch, none.matches(etag) { throw CalendarError.preconditionFailed }
        guard todo.uid == present.todo.uid else {
            throw CalendarError(.forbidden, .calendar("no-uid-conflict"), "a task's UID can't be changed")
        }
        let base = try await base(of: todo, over: present, preconditions.match, on: spot.head)
        let change = TodoChange(writing: todo, over: base.item, present: present.item)
        var drafts = change.drafts(for: present.item.id)
        if todo.order != base.order, let move = spot.move(present, to: todo.order) { drafts.append(move) }
        try await append(drafts, at: spot)
        // No etag: what a client reads back isn't byte for byte what it wrote (RFC 4791 §5.3.4).
        return Response(status: .noContent)
    }

    /// The copy that the client has changed: by the etag, otherwise by the version in the task; without either, the item
    /// as it is. And the copy's number in the list's order, if that is known.
    private func base(
        of todo: Todo, over present: CalendarItem, _ match: Preconditions.ETags?, on head: CalendarHead
    ) async throws -> (item: Item, order: Int64?) {
        let item = present.item.id
        let read = todo.version.flatMap { TaskVersion($0, of: item, in: head.list) }
        if let match, !match.matches(present.etag(in: head.epoch)) {
            guard let old = try await copy(item, match, on: head) else { throw CalendarError.preconditionFailed }
            return (old, read?.version == match.version ? read?.order : nil)
        }
        let version = present.version(in: head.epoch)
        if match?.version == nil, let read, read.version.epoch == version.epoch,
            read.version.sequence < version.sequence,
            // Without an etag, a client may write again and again without reading its copy again.
            let old = try await store.copy(
                of: item, of: head.list, for: session.account, readAt: read.version.sequence, by: session.device)
        {
            return (old.item, old.isMoved ? nil : read.order)
        }
        return (present.item, read?.version == version ? read?.order : nil)
    }

    /// The client's copy of an item, by its etag; nil if it can't be known.
    private func copy(_ item: ItemID, _ match: Preconditions.ETags, on head: CalendarHead) async throws -> Item? {
        guard let version = match.version, version.epoch == head.epoch.high, version.sequence <= head.head else {
            return nil
        }
        return try await store.item(item, of: head.list, for: session.account, at: version.sequence)
    }

    private func create(
        _ todo: Todo, named name: String, as id: ItemID, at spot: CalendarSpot, _ part: String
    ) async throws -> Response {
        if let other = spot.other {
            throw CalendarError(
                .forbidden, .calendar("no-uid-conflict"), "the list has a task with this UID at another address",
                href: CalendarResource.path(ofItem: other.name, in: part))
        }
        if let match = Preconditions(request.headers).match {
            // It was deleted meanwhile. An edit brings the item back, as on every device.
            guard let old = try await copy(id, match, on: spot.head) else { throw CalendarError.preconditionFailed }
            let change = TodoChange(writing: todo, over: old, present: nil)
            guard !change.fields.isEmpty || change.markedOff == false else { throw CalendarError.preconditionFailed }
            try await append(change.drafts(for: id), at: spot)
            return Response(status: .noContent)
        }
        var change = TodoChange(adding: todo, named: name, as: id)
        // An item that was deleted comes back as it is written now, without what it had then.
        if try await store.hadItem(id, on: spot.head.list) { change.clearOthers() }
        guard change.fields.excess(over: routes.limits) == nil else {
            throw CalendarError(
                .forbidden, .calendar("max-resource-size"),
                "a task may have \(routes.limits.bytesOfFields) bytes; shorten its notes")
        }
        var drafts = [EntryDraft(.add, item: id, after: spot.place, fields: change.fields)]
        if change.markedOff == true { drafts.append(EntryDraft(.markOff, item: id)) }
        try await append(drafts, at: spot)
        return Response(status: .created)
    }

    // MARK: DELETE

    func delete() async throws -> Response {
        switch resource {
        case .list(let part):
            try requireAllLists()
            let list = try await list(part)
            // The owner deletes it for all; a participant leaves it.
            try await store.deleteList(list, by: session.account)
            routes.hub.changed(.people(list), .account(session.account))
            return .noContent
        case .item(let part, let name):
            try requireWriting()
            let list = try await list(part)
            return try await writing(to: list) {
                let spot = try await spot(CalendarWanted(named: name), on: list)
                guard let item = spot.present else { throw CalendarError.notFound }
                // Unlike an edit, a deletion of an old copy would take others' changes with it.
                if let match = Preconditions(request.headers).match, !match.matches(item.etag(in: spot.head.epoch)) {
                    throw CalendarError.preconditionFailed
                }
                guard spot.head.permission == .readWrite else { throw StoreError.readOnly }
                try await append([EntryDraft(.delete, item: item.item.id)], at: spot)
                return .noContent
            }
        case .registration(let registration): return try await end(registration)
        case .root, .home, .principal:
            throw CalendarError(.forbidden, nil, "this can't be deleted here")
        }
    }
}

extension TodoChange {
    /// The entries that make the change.
    func drafts(for item: ItemID) -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        if !fields.isEmpty { drafts.append(EntryDraft(.edit, item: item, fields: fields)) }
        if let markedOff { drafts.append(EntryDraft(markedOff ? .markOff : .unmark, item: item)) }
        return drafts
    }

    /// Clears the fields that the change doesn't set.
    mutating func clearOthers() {
        for key in [
            Fields.quantity, Fields.note, Fields.aisle, Fields.shop, Fields.every, Todo.othersKey, Todo.timeZonesKey,
            Todo.uidKey, Todo.nameKey, Todo.orderKey,
        ] where fields[key] == nil { fields[key] = .null }
    }
}

extension CalendarSpot {
    /// The move of the item to a number, if the number changes its place among the others.
    fileprivate func move(_ item: CalendarItem, to order: Int64?) -> EntryDraft? {
        guard let order, order != item.order, place != above else { return nil }
        return EntryDraft(.move, item: item.item.id, after: place)
    }
}
