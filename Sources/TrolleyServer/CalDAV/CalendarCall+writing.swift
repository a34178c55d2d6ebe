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
            let calendar = try await store.calendar(of: list, for: session.account, countedFor: session.device)
            guard calendar.head.permission == .readWrite else { throw StoreError.readOnly }
            if let present = calendar.items.first(where: { $0.name == name }) {
                return try await write(todo, over: present, in: calendar)
            }
            return try await create(todo, named: name, in: calendar, part)
        }
    }

    private func write(
        _ todo: Todo, over present: CalendarItem, in calendar: ListCalendar
    ) async throws -> Response {
        let etag = present.etag(in: calendar.head.epoch)
        let preconditions = Preconditions(request.headers)
        if let none = preconditions.noneMatch, none.matches(etag) { throw CalendarError.preconditionFailed }
        guard todo.uid == present.todo.uid else {
            throw CalendarError(.forbidden, .calendar("no-uid-conflict"), "a task's UID can't be changed")
        }
        var base = present.item
        if let match = preconditions.match, !match.matches(etag) {
            guard let old = try await copy(present.item.id, match, on: calendar.head) else {
                throw CalendarError.preconditionFailed
            }
            base = old
        }
        let change = TodoChange(writing: todo, over: base, present: present.item)
        var drafts = change.drafts(for: present.item.id)
        if let move = calendar.move(present, to: todo.order) { drafts.append(move) }
        try await append(drafts, to: calendar.head.list, after: calendar.lastCounter)
        // No etag: what a client reads back isn't byte for byte what it wrote (RFC 4791 §5.3.4).
        return Response(status: .noContent)
    }

    /// The client's copy of an item, by its etag; nil if it can't be known.
    private func copy(_ item: ItemID, _ match: Preconditions.ETags, on head: CalendarHead) async throws -> Item? {
        guard let version = match.version, version.epoch == head.epoch.high, version.sequence <= head.head else {
            return nil
        }
        return try await store.item(item, of: head.list, for: session.account, at: version.sequence)
    }

    private func create(
        _ todo: Todo, named name: String, in calendar: ListCalendar, _ part: String
    ) async throws -> Response {
        let list = calendar.head.list
        let id = ItemID(uid: todo.uid, in: list)
        if let other = calendar.items.first(where: { $0.item.id == id || $0.todo.uid == todo.uid }) {
            throw CalendarError(
                .forbidden, .calendar("no-uid-conflict"), "the list has a task with this UID at another address",
                href: CalendarResource.path(ofItem: other.name, in: part))
        }
        if let match = Preconditions(request.headers).match {
            // It was deleted meanwhile. An edit brings the item back, as on every device.
            guard let old = try await copy(id, match, on: calendar.head) else { throw CalendarError.preconditionFailed }
            let change = TodoChange(writing: todo, over: old, present: nil)
            guard !change.fields.isEmpty || change.markedOff == false else { throw CalendarError.preconditionFailed }
            try await append(change.drafts(for: id), to: list, after: calendar.lastCounter)
            return Response(status: .noContent)
        }
        var change = TodoChange(adding: todo, named: name, as: id)
        // An item that was deleted comes back as it is written now, without what it had then.
        if try await store.hadItem(id, on: list) { change.clearOthers() }
        guard change.fields.excess(over: routes.limits) == nil else {
            throw CalendarError(
                .forbidden, .calendar("max-resource-size"),
                "a task may have \(routes.limits.bytesOfFields) bytes; shorten its notes")
        }
        var drafts = [
            EntryDraft(.add, item: id, after: calendar.place(of: todo.order), fields: change.fields)
        ]
        if change.markedOff == true { drafts.append(EntryDraft(.markOff, item: id)) }
        try await append(drafts, to: list, after: calendar.lastCounter)
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
                let calendar = try await store.calendar(of: list, for: session.account, countedFor: session.device)
                guard let item = calendar.items.first(where: { $0.name == name }) else { throw CalendarError.notFound }
                // Unlike an edit, a deletion of an old copy would take others' changes with it.
                if let match = Preconditions(request.headers).match, !match.matches(item.etag(in: calendar.head.epoch))
                {
                    throw CalendarError.preconditionFailed
                }
                guard calendar.head.permission == .readWrite else { throw StoreError.readOnly }
                try await append(
                    [EntryDraft(.delete, item: item.item.id)], to: list, after: calendar.lastCounter)
                return .noContent
            }
        case .registration(let registration): return try await end(registration)
        case .root, .home, .principal:
            throw CalendarError(.forbidden, nil, "this can't be deleted here")
        }
    }

    // MARK: MKCALENDAR, MKCOL, PROPPATCH

    func makeCalendar() async throws -> Response {
        guard case .list(let part) = resource else {
            throw CalendarError(
                .forbidden, .calendar("calendar-collection-location-ok"),
                "lists are made in \(CalendarResource.homePath)")
        }
        try requireAllLists()
        let document = try await document()
        let given = document?.settings ?? []
        let isCalendar =
            request.method == .mkcalendar
            || given.contains { $0.name == .dav("resourcetype") && $0.first(.calendar("calendar")) != nil }
        guard isCalendar else {
            throw CalendarError(.forbidden, .dav("valid-resourcetype"), "only calendars are made here")
        }
        if let components = given.first(where: { $0.name == .calendar("supported-calendar-component-set") }),
            !components.children.contains(where: { $0.attributes["name"]?.uppercased() == "VTODO" })
        {
            throw CalendarError(.forbidden, .calendar("supported-calendar-component"), "a list has tasks (VTODO) only")
        }
        var drafts = given.compactMap(\.listDraft)
        if !drafts.contains(where: { $0.operation == .renameList }) {
            drafts.insert(
                EntryDraft(.renameList, fields: [Fields.text: .string(ListID(part) == nil ? part : "List")]),
                at: 0)
        }
        guard drafts.allSatisfy({ $0.fields.excess(over: routes.limits) == nil }) else {
            throw CalendarError(
                .forbidden, nil, "a list's name may have \(routes.limits.bytesOfFields) bytes; choose a shorter one")
        }
        let list = try await newList(for: part)
        _ = try await store.createList(list, owner: session.account, quota: routes.quotas.listsPerAccount)
        routes.hub.changed(.people(list), .account(session.account))
        try await append(drafts, to: list, after: 0)
        return Response(status: .created, headers: [.location: CalendarResource.path(ofList: part)])
    }

    /// The id of a list that a client makes under a name.
    private func newList(for part: String) async throws -> ListID {
        guard (1...255).contains(part.utf8.count) else {
            throw CalendarError(.forbidden, .calendar("calendar-collection-location-ok"), "the name is too long")
        }
        let candidates = ListID.candidates(for: part, of: session.account)
        let own = try await store.lists(of: session.account).filter { candidates.contains($0.id) }
        // An attempt that has ended in between has left it empty.
        if own.count == 1, own[0].role == .owner, own[0].head == .start { return own[0].id }
        guard own.isEmpty else {
            throw CalendarError(
                HTTPResponse.Status(code: 405, reasonPhrase: "Method Not Allowed"), .dav("resource-must-be-null"),
                "there is a list at this address")
        }
        let taken = try await store.existing(Set(candidates))
        guard let free = candidates.first(where: { !taken.contains($0) }) else {
            throw CalendarError(
                .forbidden, .calendar("calendar-collection-location-ok"), "this name is taken; choose another one")
        }
        return free
    }

    func proppatch() async throws -> Response {
        guard let document = try await document(), document.name == .dav("propertyupdate") else {
            throw CalendarError(.badRequest, nil, "the body isn't DAV:propertyupdate")
        }
        guard case .list(let part) = resource else {
            throw CalendarError(
                .forbidden, .dav("cannot-modify-protected-property"), "only lists have settable properties")
        }
        try requireWriting()
        let list = try await list(part)
        let settings = document.settings
        let drafts = settings.compactMap(\.listDraft)
        try await writing(to: list) {
            let calendar = try await store.calendar(of: list, for: session.account, countedFor: session.device)
            guard calendar.head.permission == .readWrite else { throw StoreError.readOnly }
            try await append(drafts, to: list, after: calendar.lastCounter)
        }
        var writer = XMLWriter()
        let names =
            settings.map { (name: $0.name, isSet: $0.listDraft != nil) }
            + document.removals.map { (name: $0, isSet: false) }
        writer.element(.dav("multistatus")) { writer in
            writer.element(.dav("response")) { writer in
                writer.href(CalendarResource.path(ofList: part))
                for (isSet, status) in [(true, "200 OK"), (false, "403 Forbidden")] {
                    let these = names.filter { $0.isSet == isSet }
                    guard !these.isEmpty else { continue }
                    MultiStatus.propstat(status, to: &writer) { writer in
                        for each in these { writer.element(each.name) }
                    }
                }
            }
        }
        return .xml(writer.text, status: .multiStatus)
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
            Todo.uidKey, Todo.nameKey,
        ] where fields[key] == nil { fields[key] = .null }
    }
}

extension ListCalendar {
    /// The item after which an item with this number stands; nil: at the top.
    /// - Parameter order: nil: at the bottom.
    func place(of order: Int64?, without item: ItemID? = nil) -> ItemID? {
        let others = items.filter { $0.item.id != item }
        guard let order else { return others.last?.item.id }
        return others.last { $0.order <= order }?.item.id
    }

    /// The move of an item to a number, if the number changes its place among the others.
    fileprivate func move(_ item: CalendarItem, to order: Int64?) -> EntryDraft? {
        guard let order, order != item.order else { return nil }
        let index = items.firstIndex { $0.item.id == item.item.id } ?? 0
        let previous = index == 0 ? nil : items[index - 1].item.id
        let place = place(of: order, without: item.item.id)
        guard place != previous else { return nil }
        return EntryDraft(.move, item: item.item.id, after: place)
    }
}

extension XMLElement {
    /// The properties that a request sets.
    fileprivate var settings: [XMLElement] {
        all(.dav("set")).flatMap { $0.all(.dav("prop")) }.flatMap(\.children)
    }

    fileprivate var removals: [XMLName] {
        all(.dav("remove")).flatMap { $0.all(.dav("prop")) }.flatMap(\.children).map(\.name)
    }

    /// The entry that sets a list's property; nil for properties that a list doesn't have.
    fileprivate var listDraft: EntryDraft? {
        switch name {
        case .dav("displayname"):
            let name = text.trimmed
            return name.isEmpty ? nil : EntryDraft(.renameList, fields: [Fields.text: .string(name)])
        case .apple("calendar-color"):
            return CalendarColour.colour(of: text).map { colour in
                EntryDraft(.recolourList, fields: [Fields.text: .string(colour)])
            }
        default: return nil
        }
    }
}
