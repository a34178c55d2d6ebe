import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Making lists, and setting their properties.
extension CalendarCall {
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
        let names = given.map(\.name)
        if names.contains(where: CalendarProperties.isProtected) { return refusal(toSet: names, of: part) }
        _ = try await store.createList(list, owner: session.account, quota: routes.quotas.listsPerAccount)
        routes.hub.changed(.people(list), .account(session.account))
        try await append(drafts, to: list, after: 0, plannedAt: .start)
        return Response(status: .created, headers: [.location: CalendarResource.path(ofList: part)])
    }

    /// All of a new list's properties are set, or none (RFC 4791 §5.3.1, RFC 5689 §3).
    private func refusal(toSet names: [XMLName], of part: String) -> Response {
        func write(_ names: [XMLName], _ status: String, to writer: inout XMLWriter) {
            if names.isEmpty { return }
            MultiStatus.propstat(status, to: &writer) { writer in
                for name in names { writer.element(name) }
            }
        }
        var writer = XMLWriter()
        let isCollection = request.method == .mkcol
        writer.element(.dav(isCollection ? "mkcol-response" : "multistatus")) { writer in
            func writeAll(to writer: inout XMLWriter) {
                write(names.filter(CalendarProperties.isProtected), "403 Forbidden", to: &writer)
                write(names.filter { !CalendarProperties.isProtected($0) }, "424 Failed Dependency", to: &writer)
            }
            if isCollection { return writeAll(to: &writer) }
            writer.element(.dav("response")) { writer in
                writer.href(CalendarResource.path(ofList: part))
                writeAll(to: &writer)
            }
        }
        return .xml(writer.text, status: isCollection ? .forbidden : .multiStatus)
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
            // RFC 4918 §9.3.1, and for MKCALENDAR RFC 4791 §1.3 and 5.3.1.1.
            throw CalendarError(
                request.method == .mkcol ? .methodNotAllowed : .forbidden, .dav("resource-must-be-null"),
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
            try await append(drafts, to: calendar)
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
