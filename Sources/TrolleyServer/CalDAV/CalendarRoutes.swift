import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// Lists for CalDAV clients, at `/dav/` (RFC 4791, 6578, 6764): each list is a collection of tasks, each item a `VTODO`.
///
/// A client is a device: what it writes becomes entries under its account's role, appended as uploads are; what it reads is the
/// fold. It authenticates by a personal token, which names its entries in the Activity.
struct CalendarRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let gestures: Gestures
    let tokenKey: ChangeToken.Key
    let limits: Limits
    let quotas: Quotas
    let push: CalendarPush

    private static let methods: [HTTPRequest.Method] = [
        .options, .get, .head, .put, .delete, .propfind, .proppatch, .report, .mkcalendar, .mkcol,
    ]
    private static let refusedMethods: [HTTPRequest.Method] = [.patch, .copy, .move, .lock, .unlock, .acl]

    /// - Parameter router: behind ``CalendarMiddleware``.
    func add(to router: RouterGroup<TrolleyContext>) {
        for path in ["dav", "dav/**"] as [RouterPath] {
            // HEAD arrives as GET (``HeadResponder``).
            for method in Self.methods + [.post] where method != .head {
                router.on(path, method: method) { request, context in try await respond(to: request, context) }
            }
            for method in Self.refusedMethods {
                router.on(path, method: method) { request, _ in Self.refusal(of: request) }
            }
        }
    }

    /// Where clients look first (RFC 6764 §5). Anybody may ask.
    func addWellKnown(to router: Router<TrolleyContext>) {
        for method in [HTTPRequest.Method.get, .options, .propfind] {
            router.on(".well-known/caldav", method: method) { _, _ in
                Response(status: .movedPermanently, headers: [.location: CalendarResource.rootPath])
            }
        }
    }

    /// Only lists have POST: registrations for push messages. These can only be deleted.
    private static func allowed(on resource: CalendarResource?) -> String {
        let allowed: [HTTPRequest.Method] =
            switch resource {
            case .list?: methods + [.post]
            case .registration?: [.options, .delete]
            default: methods
            }
        return allowed.map(\.rawValue).joined(separator: ", ")
    }

    private static func refusal(of request: Request) -> Response {
        var response = CalendarError(.methodNotAllowed, nil, "there is no \(request.method.rawValue) here").response
        response.headers[.allow] = allowed(on: CalendarResource(request.uri.path))
        return response
    }

    private func respond(to request: Request, _ context: TrolleyContext) async throws -> Response {
        let session = try context.session
        let named = CalendarResource(request.uri.path)
        if request.method == .options {
            return Response(
                status: .ok,
                headers: [.allow: Self.allowed(on: named), .dav: await classes(of: named), .contentLength: "0"])
        }
        guard let resource = named else { throw CalendarError.notFound }
        let call = CalendarCall(
            routes: self, session: session, resource: resource, request: request, origin: context.origin(of: request))
        var response: Response
        do { response = try await answer(to: call) } catch let error as CalendarError
            where error.status == .methodNotAllowed
        {
            response = error.response
            response.headers[.allow] = Self.allowed(on: resource)
        }
        response.headers[.dav] = await classes(of: resource)
        return response
    }

    private func answer(to call: CalendarCall) async throws -> Response {
        switch call.request.method {
        case .get: try await call.get()
        case .put: try await call.put()
        case .delete: try await call.delete()
        case .propfind: try await call.propfind()
        case .proppatch: try await call.proppatch()
        case .report: try await call.report()
        case .post: try await call.post() ?? Self.refusal(of: call.request)
        default: try await call.makeCalendar()
        }
    }

    /// The value of `DAV`. Only lists have push, and only if the service has a key for push services.
    private func classes(of resource: CalendarResource?) async -> String {
        let classes = "1, 3, calendar-access, extended-mkcol"
        guard case .list? = resource, await push.key() != nil else { return classes }
        return "\(classes), \(CalendarPush.complianceClass)"
    }
}

/// One request of a CalDAV client.
struct CalendarCall: Sendable {
    let routes: CalendarRoutes
    let session: Session
    let resource: CalendarResource
    let request: Request
    /// The service's scheme, host and port, as the client reaches it.
    let origin: String

    var store: Store { routes.store }

    func body() async throws -> [UInt8] {
        Array(try await request.body(upTo: routes.limits).readableBytesView)
    }

    /// The body as XML; nil if there is none.
    func document() async throws -> XMLElement? {
        let bytes = try await body()
        return bytes.isEmpty ? nil : try XMLReader.read(bytes)
    }

    func properties() async throws -> CalendarProperties {
        CalendarProperties(
            session: session, account: try await store.account(session.account), tokenKey: routes.tokenKey,
            limits: routes.limits,
            push: await routes.push.key().map {
                PushOffer(key: $0, account: session.account, tokenKey: routes.tokenKey)
            })
    }

    /// The list of a part of the path, if the account is on it and the token opens it.
    func list(_ part: String) async throws -> ListID {
        let candidates = ListID.candidates(for: part, of: session.account)
        let own: ListID?
        if candidates.count == 1 {
            own = candidates[0]
        } else {
            let lists = Set(try await store.lists(of: session.account).map(\.id))
            own = candidates.first { lists.contains($0) }
        }
        guard let own, session.opens(own) else { throw CalendarError.notFound }
        return own
    }

    func requireWriting() throws {
        if session.scope?.isReadOnly == true {
            throw CalendarError(.forbidden, .dav("need-privileges"), "this personal token may only read")
        }
    }

    /// For making and removing lists.
    func requireAllLists() throws {
        try requireWriting()
        if session.scope?.lists != nil {
            throw CalendarError(
                .forbidden, .dav("need-privileges"), "this personal token opens some lists; this needs all")
        }
    }

    /// Runs `body` when no other write to the list runs in this process, so that a precondition holds until the entries are
    /// appended.
    func writing<Value>(to list: ListID, _ body: () async throws -> Value) async throws -> Value {
        try await routes.gestures.withTurn(on: list, of: session.account, body)
    }

    /// Appends entries to the list that they were planned on, as one gesture.
    func append(_ drafts: [EntryDraft], to calendar: ListCalendar) async throws {
        try await append(
            drafts, to: calendar.head.list, after: calendar.lastCounter, plannedAt: calendar.head.head)
    }

    /// Appends entries as one gesture.
    /// - Parameters:
    ///   - counter: the last deviceSequence of the client's device on the list.
    ///   - head: the list's head when the entries were planned.
    func append(
        _ drafts: [EntryDraft], to list: ListID, after counter: Int64, plannedAt head: SequenceNumber
    ) async throws {
        try await routes.gestures.append(
            drafts, to: list, by: session, after: counter, plannedAt: head, quiet: PushDontNotify(request.headers))
    }
}

extension HTTPRequest.Method {
    private static func method(_ name: String) -> HTTPRequest.Method {
        // The names are tokens, so the fallback is never used.
        HTTPRequest.Method(name) ?? .get
    }

    static let propfind = method("PROPFIND")
    static let proppatch = method("PROPPATCH")
    static let report = method("REPORT")
    static let mkcalendar = method("MKCALENDAR")
    static let mkcol = method("MKCOL")
    static let copy = method("COPY")
    static let move = method("MOVE")
    static let lock = method("LOCK")
    static let unlock = method("UNLOCK")
    static let acl = method("ACL")
}

extension HTTPField.Name {
    // The names are tokens, so the fallbacks are never used.
    static let dav = HTTPField.Name("DAV") ?? .allow
    static let depth = HTTPField.Name("Depth") ?? .range
    static let prefer = HTTPField.Name("Prefer") ?? .accept
    static let preferenceApplied = HTTPField.Name("Preference-Applied") ?? .allow
    static let brief = HTTPField.Name("Brief") ?? .accept
}
