import Synchronization
import TrolleyClient
import TrolleyJournal
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The calls of the service's API, by their paths.

extension InMemoryService {
    func answer(_ call: ServiceCall) throws -> ServiceAnswer {
        do {
            let body = try state.withLock { state in try state.answer(Request(call)) }
            return ServiceAnswer(status: body == nil ? 204 : 200, body: body ?? [])
        } catch let problem as Problem {
            return try ServiceAnswer(problem)
        } catch is DecodingError {
            return try ServiceAnswer(Problem(.invalidArguments, "the body is not what was expected"))
        }
    }

    /// The event stream of the account that is signed in; nil: nobody is.
    func events(for call: ServiceCall) -> AsyncStream<String>? {
        state.withLock { state in
            guard let session = try? state.session(call.token) else { return nil }
            return state.events(of: session.account) { [weak self] number in
                // The stream may end while the state is locked.
                Task { self?.state.withLock { $0.endStream(number) } }
            }
        }
    }
}

/// A call, taken apart.
private struct Request {
    var method: String
    /// The parts of the path after `/v1/`, without ids.
    var route: String
    var ids: [String]
    var query: [String: String]
    var token: String?
    var body: [UInt8]

    init(_ call: ServiceCall) {
        method = call.method
        let parts = call.path.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").dropFirst()
        ids = path.map(String.init).filter { UUIDBits($0) != nil }
        route = path.map { UUIDBits(String($0)) == nil ? String($0) : "*" }.joined(separator: "/")
        query = [:]
        for pair in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let pair = pair.split(separator: "=", maxSplits: 1)
            query[String(pair[0])] = pair.count > 1 ? String(pair[1]) : ""
        }
        token = call.token
        body = call.body ?? []
    }

    func id<ID: Identifier>(_ index: Int = 0, _ type: ID.Type = ID.self) throws(Problem) -> ID {
        guard index < ids.count, let id = ID(ids[index]) else { throw Problem(.unknownItem) }
        return id
    }

    func read<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(body))
    }
}

extension ServiceState {
    /// - Returns: the answer's JSON; nil: it has none.
    fileprivate mutating func answer(_ request: Request) throws -> [UInt8]? {
        switch (request.method, request.route) {
        case ("GET", "config"):
            return try .encoding(
                ConfigResponse(version: "memory", protocolVersion: ProtocolVersion.current, limits: limits))
        case ("POST", "accounts"): return try .encoding(signUp(request.read()))
        case ("POST", "sessions"): return try .encoding(signIn(request.read()))
        default: return try answer(request, try session(request.token))
        }
    }

    private mutating func answer(_ request: Request, _ session: Session) throws -> [UInt8]? {
        let (account, device) = (session.account, session.device)
        switch (request.method, request.route) {
        case ("GET", "account"): return try .encoding(self.account(session))
        case ("PATCH", "account"): return try .encoding(changeAccount(request.read(), session))
        case ("DELETE", "account"): try deleteAccount(request.read(), session)
        case ("PUT", "account/password"): return try .encoding(changePassword(request.read(), session))
        case ("DELETE", "session"): try signOut(device, of: account)
        case ("GET", "devices"): return try .encoding(devices(of: session))
        case ("DELETE", "devices/*"): try signOut(request.id(), of: account)
        case ("GET", "lists"):
            let own = lists.filter { $0.value.member(account) != nil }.sorted { $0.key < $1.key }
            return try .encoding(ListsResponse(lists: own.map { $0.value.response($0.key, for: account) }))
        case ("POST", "lists"): return try .encoding(createList(request.read(), by: session))
        case ("POST", "changes"): return changes(try request.read(), for: account).json
        case ("GET", "summaries"): return try .encoding(SummariesResponse(summaries: []))
        case ("POST", "invitations/look"):
            return try .encoding(preview(request.read(SecretRequest.self).secret, for: try self.account(session)))
        case ("POST", "invitations/accept"):
            return try .encoding(accept(request.read(SecretRequest.self).secret, for: try self.account(session)))
        case ("POST", "invitations/decline"):
            let person = try self.account(session)
            let (id, invitation) = try invitation(request.read(SecretRequest.self).secret, for: person)
            try change(id) { $0.decline(invitation) }
        default: return try answer(request, session, about: try request.id(0, ListID.self))
        }
        return nil
    }

    /// A call about a list.
    private mutating func answer(_ request: Request, _ session: Session, about id: ListID) throws -> [UInt8]? {
        let (account, now) = (session.account, now())
        let list = try list(id, for: account)
        switch (request.method, request.route) {
        case ("DELETE", "lists/*"): try deleteList(id, by: account)
        case ("POST", "lists/*/entries"): return try upload(request.body, to: id, by: session).json
        case ("GET", "lists/*/activity"):
            return activity(of: id, request.query, for: list.member(account)?.role ?? .participant).json
        case ("GET", "lists/*/replay"): return try replay(id, request.query).json
        case ("GET", "lists/*/share"): return try .encoding(list.shareResponse(to: account, at: now))
        case ("DELETE", "lists/*/share"): try stopSharing(id, by: account)
        case ("POST", "lists/*/invitations"): return try .encoding(invite(request.read(), to: id, by: session))
        case ("GET", "lists/*/invitations"):
            let open = try ownList(id, of: account).invitations.filter(\.isOpen)
            return try .encoding(
                InvitationsResponse(
                    invitations: open.map { invitation in
                        OpenInvitation(
                            id: invitation.id, email: invitation.email, permission: invitation.permission,
                            createdAt: invitation.createdAt, expiresAt: invitation.expiresAt,
                            accepted: list.members.contains { $0.email != nil && $0.email == invitation.email },
                            uses: invitation.uses > 1 ? invitation.uses : nil,
                            used: invitation.uses > 1 ? invitation.usedBy.count : nil)
                    }))
        case ("DELETE", "lists/*/invitations/*"):
            let invitation = try request.id(1, InvitationID.self)
            guard let known = try ownList(id, of: account).invitations.first(where: { $0.id == invitation }) else {
                throw Problem(.unknownItem, "the list has no such open invitation")
            }
            try change(id) { list in
                list.invitations.removeAll { $0.id == invitation }
                list.change { people in
                    people.removeAll { $0.status == .invited && $0.email != nil && $0.email == known.email }
                }
            }
        case ("DELETE", "lists/*/participants/*"):
            let other = try request.id(1, AccountID.self)
            _ = try ownList(id, of: account)
            try change(id) { $0.remove(other) }
        case ("PATCH", "lists/*/participants/*"):
            let (other, permission) = (try request.id(1, AccountID.self), try request.read(PermissionRequest.self))
            guard try ownList(id, of: account).member(other) != nil else { throw Problem(.unknownItem) }
            try change(id) { $0.permit(permission.permission, to: other) }
            return try .encoding(lists[id]?.shareResponse(to: account, at: now))
        case ("PUT", "lists/*/owner"):
            let other = try request.read(OwnerRequest.self).account
            guard try ownList(id, of: account).member(other) != nil else { throw Problem(.unknownItem) }
            try change(id) { $0.handOver(to: other) }
            return try .encoding(lists[id]?.shareResponse(to: account, at: now))
        case ("PUT", "lists/*/presence"):
            let report = try request.read(PresenceRequest.self)
            let until = report.present == false ? now : now.advanced(byMilliseconds: report.lease ?? 60_000)
            lists[id]?.presence[session.device] = (account, until)
            for other in list.members.compactMap(\.account) where other != account { hint("presence", id, to: other) }
            return try .encoding(PresenceResponse(presence: lists[id]?.present(at: now) ?? [], renewAfter: 30_000))
        case ("PUT", "lists/*/read"):
            let through = try request.read(ReadPosition.self).through
            guard through <= list.stream.head else {
                throw Problem(.invalidArguments, "through is beyond the list's newest change")
            }
            let mark = max(list.reads[account] ?? .start, through)
            lists[id]?.reads[account] = mark
            return try .encoding(ReadPosition(through: mark))
        case ("PATCH", "lists/*/place"):
            let change = try request.read(ChangePlaceRequest.self)
            var place = list.places[account] ?? ListPlace()
            place.pinned = change.pinned ?? place.pinned
            place.archived = change.archived ?? place.archived
            place.rank = change.rank ?? place.rank
            lists[id]?.places[account] = place
            hint("placed", id, to: account)
            return try .encoding(place)
        case ("GET", "lists/*/notifications"):
            return try .encoding(NotificationPreference(level: list.levels[account] ?? .summaries))
        case ("PUT", "lists/*/notifications"):
            let preference = try request.read(NotificationPreference.self)
            lists[id]?.levels[account] = preference.level
            return try .encoding(preference)
        default: throw Problem(.unknownRoute, "a service in memory doesn't answer this call")
        }
        return nil
    }
}

extension [UInt8] {
    /// A value's JSON.
    static func encoding(_ value: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }
}
