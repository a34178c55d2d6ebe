import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension CalendarCall {
    // MARK: PROPFIND

    func propfind() async throws -> Response {
        let wanted = try WantedProperties(propfind: try await document())
        let depth = request.headers[.depth]?.lowercased() ?? "0"
        guard depth == "0" || depth == "1" else {
            throw CalendarError(.forbidden, .dav("propfind-finite-depth"), "Depth must be 0 or 1")
        }
        let properties = try await properties()
        var answer = MultiStatus(properties: properties, isMinimal: isMinimal)
        let (targets, calendar) = try await targets(withMembers: depth == "1")
        answer.calendar = calendar
        for target in targets { answer.add(target, wanted) }
        return try await response(to: answer)
    }

    /// The resource, and what is directly in it; and the list that these are of, if it was read with its items.
    private func targets(
        withMembers: Bool
    ) async throws -> (targets: [CalendarProperties.Target], calendar: ListCalendar?) {
        switch resource {
        case .root: return (withMembers ? [.root, .principal, .home] : [.root], nil)
        case .principal(let account):
            if account == session.account { return ([.principal], nil) }
            return ([.owner(account, name: try await name(ofOwner: account))], nil)
        case .home:
            guard withMembers else { return ([.home], nil) }
            let lists = try await store.calendars(of: session.account).filter { session.opens($0.list) }
            return ([.home] + lists.map { .list($0, part: $0.list.description) }, nil)
        case .list(let part):
            let list = try await list(part)
            guard withMembers else { return ([.list(try await head(of: list), part: part)], nil) }
            let calendar = try await store.calendar(of: list, for: session.account)
            let items = calendar.items.map { CalendarProperties.Target.item($0, of: calendar.head, part: part) }
            return ([.list(calendar.head, part: part)] + items, calendar)
        case .item(let part, let name):
            let calendar = try await store.calendar(of: list(part), for: session.account)
            guard let item = calendar.items.first(where: { $0.name == name }) else { throw CalendarError.notFound }
            return ([.item(item, of: calendar.head, part: part)], calendar)
        case .registration: throw CalendarError.registration
        }
    }

    /// The name of the owner of a list that the token opens. Others stay unknown.
    private func name(ofOwner account: AccountID) async throws -> String {
        let lists = try await store.calendars(of: session.account)
        guard let list = lists.first(where: { $0.owner == account && session.opens($0.list) })?.list else {
            throw CalendarError.notFound
        }
        let people = try await store.share(of: list, for: session.account).share.participants
        guard let owner = people.first(where: { $0.account == account }) else { throw CalendarError.notFound }
        return owner.name ?? "Owner"
    }

    /// The list without its items; from before its row had a name, with them.
    private func head(of list: ListID) async throws -> CalendarHead {
        let head = try await store.calendarHead(of: list, for: session.account)
        return head.isTitleKnown ? head : try await store.calendar(of: list, for: session.account).head
    }

    // MARK: GET

    func get() async throws -> Response {
        let type = "text/calendar; charset=utf-8"
        switch resource {
        case .registration: throw CalendarError.registration
        case .root, .home, .principal:
            let text =
                "Trolley's lists for CalDAV programs. Add this address there, with a personal token as password.\n"
            return Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        case .list(let part):
            let calendar = try await store.calendar(of: list(part), for: session.account)
            var lines = [
                ContentLine("BEGIN", "VCALENDAR"), ContentLine("VERSION", "2.0"),
                ContentLine("PRODID", "-//Trolley//Trolley//EN"),
                ContentLine("X-WR-CALNAME", ContentLine.escaped(calendar.head.name ?? "List")),
            ]
            for item in calendar.items {
                lines += item.todo.todoLines(
                    createdAt: item.createdAt, changedAt: item.changedAt, markedOffAt: item.markedOffAt)
            }
            lines.append(ContentLine("END", "VCALENDAR"))
            let text = ContentLine.text(of: lines)
            return held(text, by: try reservation(of: text), type: type, status: .ok)
        case .item(let part, let name):
            let calendar = try await store.calendar(of: list(part), for: session.account)
            guard let item = calendar.items.first(where: { $0.name == name }) else { throw CalendarError.notFound }
            let etag = item.etag(in: calendar.head.epoch)
            if let given = Preconditions(request.headers).noneMatch, given.matches(etag) {
                return Response(status: .notModified, headers: [.eTag: etag])
            }
            let text = item.object(in: calendar.head)
            var response = held(
                text, by: try reservation(of: text), type: type + "; component=vtodo", status: .ok)
            response.headers[.eTag] = etag
            response.headers[.lastModified] = item.changedAt.httpText
            return response
        }
    }

    // MARK: Answers

    /// Whether the client wants no properties that aren't there (RFC 8144).
    var isMinimal: Bool {
        request.headers[values: .prefer].contains { $0.lowercased().contains("return=minimal") }
            || request.headers[.brief]?.lowercased() == "t"
    }

    /// Writes the answer under the account's memory.
    func response(to answer: MultiStatus) async throws -> Response {
        let reservation = try store.reserve(0, for: session.account)
        let text = try await answer.text { try reservation.resize(to: $0) }
        withExtendedLifetime(answer.calendar) {}
        var response = held(text, by: reservation, type: "application/xml; charset=utf-8", status: .multiStatus)
        if isMinimal { response.headers[.preferenceApplied] = "return=minimal" }
        return response
    }

    private func reservation(of text: String) throws -> ReadReservation {
        try store.reserve(text.utf8.count, for: session.account)
    }

    /// A response that counts against the account's memory until it has been sent.
    private func held(
        _ text: String, by reservation: ReadReservation, type: String, status: HTTPResponse.Status
    ) -> Response {
        let bytes = Array(text.utf8)
        return Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(contentLength: bytes.count) { body in
                var rest = ByteBuffer(bytes: bytes)
                while let piece = rest.readSlice(length: min(64 << 10, rest.readableBytes)), piece.readableBytes > 0 {
                    try await body.write(piece)
                }
                try await body.finish(nil)
                withExtendedLifetime(reservation) {}
            })
    }
}

/// The properties that a request asks for.
enum WantedProperties: Sendable {
    case named([XMLName])
    case all
    case names

    /// - Parameter document: nil: no body, which means all.
    init(propfind document: XMLElement?) throws {
        guard let document else {
            self = .all
            return
        }
        guard document.name == .dav("propfind") else {
            throw CalendarError(.badRequest, nil, "the body isn't DAV:propfind")
        }
        let kinds: Set<XMLName> = [.dav("prop"), .dav("allprop"), .dav("propname")]
        guard document.children.count(where: { kinds.contains($0.name) }) == 1 else {
            throw CalendarError(.badRequest, nil, "DAV:propfind has one of prop, allprop and propname")
        }
        try self.init(in: document)
    }

    /// Programs ask for some twenty. Each is answered for each item.
    private static let most = 100

    /// A list's tasks have one form (RFC 4791 §9.6).
    private static func check(_ data: XMLElement) throws {
        let (type, version) = (data.attributes["content-type"] ?? "text/calendar", data.attributes["version"] ?? "2.0")
        guard type.lowercased() == "text/calendar", version == "2.0" else {
            throw CalendarError(
                .forbidden, .calendar("supported-calendar-data"), "tasks are text/calendar, version 2.0")
        }
    }

    /// - Parameter element: with `prop`, `allprop` or `propname`.
    init(in element: XMLElement) throws {
        if let prop = element.first(.dav("prop")) {
            let names = prop.children.map(\.name).eachOnce
            if let data = prop.first(.calendar("calendar-data")) { try Self.check(data) }
            guard names.count <= Self.most else {
                throw CalendarError(.badRequest, nil, "a request may ask for \(Self.most) properties")
            }
            self = .named(names)
        } else {
            self = element.first(.dav("propname")) == nil ? .all : .names
        }
    }
}

/// A 207 answer (RFC 4918 §13).
struct MultiStatus {
    let properties: CalendarProperties
    let isMinimal: Bool
    /// Whose items the answer is about: it counts against the account's memory until the answer is written.
    var calendar: ListCalendar?
    private var responses: [(inout XMLWriter) -> Void] = []
    private var syncToken: String?

    init(properties: CalendarProperties, isMinimal: Bool) {
        self.properties = properties
        self.isMinimal = isMinimal
    }

    mutating func add(_ target: CalendarProperties.Target, _ wanted: WantedProperties) {
        let names =
            switch wanted {
            case .named(let names): names
            case .all, .names: properties.names(of: target)
            }
        var (found, missing): ([(XMLName, CalendarProperties.Value)], [XMLName]) = ([], [])
        for name in names {
            if let value = properties.value(name, of: target) {
                found.append((name, value))
            } else {
                missing.append(name)
            }
        }
        let onlyNames = if case .names = wanted { true } else { false }
        let (href, isMinimal) = (properties.href(of: target), isMinimal)
        responses.append { writer in
            writer.element(.dav("response")) { writer in
                writer.href(href)
                if !found.isEmpty || missing.isEmpty || isMinimal {
                    Self.propstat("200 OK", to: &writer) { writer in
                        for (name, value) in found { writer.element(name) { onlyNames ? () : value(&$0) } }
                    }
                }
                if !missing.isEmpty, !isMinimal {
                    Self.propstat("404 Not Found", to: &writer) { writer in
                        for name in missing { writer.element(name) }
                    }
                }
            }
        }
    }

    /// A member that isn't there.
    mutating func addMissing(_ href: String) {
        responses.append { writer in
            writer.element(.dav("response")) { writer in
                writer.href(href)
                writer.element(.dav("status"), "HTTP/1.1 404 Not Found")
            }
        }
    }

    /// Says of the resource that the answer is only a part of what it has (RFC 6578 §3.6).
    mutating func addTruncated(_ href: String) {
        responses.append { writer in
            writer.element(.dav("response")) { writer in
                writer.href(href)
                writer.element(.dav("status"), "HTTP/1.1 507 Insufficient Storage")
                writer.element(.dav("error")) { $0.element(.dav("number-of-matches-within-limits")) }
            }
        }
    }

    mutating func set(syncToken: String) { self.syncToken = syncToken }

    static func propstat(_ status: String, to writer: inout XMLWriter, _ content: (inout XMLWriter) -> Void) {
        writer.element(.dav("propstat")) { writer in
            writer.element(.dav("prop"), [], content)
            writer.element(.dav("status"), "HTTP/1.1 \(status)")
        }
    }

    /// - Parameter reserve: gets the number of bytes now and then, and throws when they are too many.
    func text(_ reserve: (Int) throws -> Void) async throws -> String {
        var writer = XMLWriter()
        writer.begin(.dav("multistatus"))
        for (index, response) in responses.enumerated() {
            response(&writer)
            if index.isMultiple(of: 64) {
                try reserve(writer.text.utf8.count)
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        if let syncToken { writer.element(.dav("sync-token"), syncToken) }
        writer.end(.dav("multistatus"))
        try reserve(writer.text.utf8.count)
        return writer.text
    }
}

extension Array where Element: Hashable {
    /// The elements in their order, without those that came before.
    var eachOnce: [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}

/// `If-Match` and `If-None-Match` (RFC 9110 §13.1).
struct Preconditions {
    let match: ETags?
    let noneMatch: ETags?

    enum ETags {
        case any
        case some([String])

        init?(_ values: [String]) {
            if values.isEmpty { return nil }
            let tags = values.flatMap { $0.split(separator: ",") }.map { String($0).trimmed }
            self = tags.contains("*") ? .any : .some(tags)
        }

        func matches(_ etag: String) -> Bool {
            switch self {
            case .any: true
            case .some(let tags): tags.contains { $0 == etag || $0 == "W/" + etag }
            }
        }

        /// The version of the copy that the client has; nil if that isn't known.
        var version: ItemVersion? {
            guard case .some(let tags) = self, tags.count == 1 else { return nil }
            let text = tags[0].hasPrefix("W/") ? tags[0].dropFirst(2) : tags[0][...]
            guard text.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
            return ItemVersion(text.dropFirst().dropLast())
        }
    }

    init(_ headers: HTTPFields) {
        match = ETags(headers[values: .ifMatch])
        noneMatch = ETags(headers[values: .ifNoneMatch])
    }
}
