import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct ListRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limiter: RateLimiter
    let ownership: Ownership
    let tokenKey: ChangeToken.Key
    let limits: Limits
    let quotas: Quotas

    func add(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists") { request, context -> Response in
            let wanted = try await request.decode(CreateListRequest.self, limits: limits)
            let session = try context.session
            guard session.scope == nil || wanted.share == nil && wanted.ownership == nil else {
                throw Problem(
                    .permissionFailure,
                    "a personal token can't share a list or take one over; sign in with email and password")
            }
            let owner = session.account
            let claim = ownership.claim(in: wanted)
            guard let share = wanted.share else {
                let (list, isNew) = try await store.createList(
                    wanted.id, owner: owner, quota: quotas.listsPerAccount, claim: claim)
                if isNew || claim != nil { hub.changed(.people(wanted.id), .account(owner)) }
                return try .json(ownership.withOwnershipProof(list, for: owner), status: isNew ? .created : .ok)
            }
            try limiter.admitShareChange(by: owner)
            guard share.invitations.count < limits.participantsPerList else { throw StoreError.tooManyParticipants }
            let invitations = try share.invitations.map(PreparedInvitation.init)
            let (list, isNew, made) = try await store.createList(
                wanted.id, owner: owner, invitations: invitations.map(\.invitation), limit: limits.participantsPerList,
                quota: quotas.listsPerAccount, claim: claim)
            hub.changed(.people(wanted.id), .account(owner))
            return try .json(
                CreateListResponse(
                    list: ownership.withOwnershipProof(list, for: owner),
                    invitations: zip(invitations, made).map { $0.response(for: $1) }),
                status: isNew ? .created : .ok)
        }
        router.get("v1/lists") { _, context -> Response in
            let session = try context.session
            let found = try await store.reachableLists(of: session.account)
            return try .json(
                ListsResponse(
                    lists: found.lists.filter { session.opens($0.id) }
                        .map { ownership.withOwnershipProof($0, for: session.account) },
                    unreachable: found.unreachable?.filter(session.opens).sorted()))
        }
        // The owner deletes the list for all; a participant leaves it.
        router.delete("v1/lists/:list") { _, context -> Response in
            let (list, account) = (try context.list(), try context.session.account)
            try await store.deleteList(list, by: account)
            hub.changed(.people(list), .account(account))
            return .noContent
        }
        router.get("v1/lists/:list/state") { _, context -> Response in
            let folded = try await store.fold(context.list(), for: context.session.account)
            return .json(pieces: folded.pieces)
        }
        router.get("v1/lists/:list/activity") { request, context -> Response in
            let list = try context.list()
            let session = try context.session
            let query = request.uri.queryParameters
            let before = query.get("before").map { ChangeToken($0, list: list, key: tokenKey) }
            let changeRange = try await store.activity(
                of: list, for: session.account, before: (before ?? nil)?.sequence,
                by: try identifier(in: query, "account"), of: try identifier(in: query, "item"),
                limit: try limits.pageLimit(text: query.get("limit")))
            try ChangeToken.checkForm(query.get("before"), called: "before")
            if let before, before == nil { throw Problem(.changeTokenExpired) }
            let next = changeRange.next.map { ChangeToken(list: list, epoch: changeRange.epoch, sequence: $0) }
            return try .json(
                reservation: ActivityPage(activity: changeRange.items, next: next?.text(key: tokenKey)).json,
                for: session.account, in: store)
        }
        router.get("v1/lists/:list/replay") { request, context -> Response in
            let (through, moment) = try Self.replayPoint(request)
            let replay = try await store.replay(
                of: context.list(), for: context.session.account, through: through, until: moment)
            return .json(pieces: replay.pieces)
        }
        // A restoration: the list's state at the moment, and the entries that restore it.
        router.get("v1/lists/:list/restoration") { request, context -> Response in
            let (through, moment) = try Self.replayPoint(request)
            let replay = try await store.replay(
                of: context.list(), for: context.session.account, through: through, until: moment, planning: true)
            return .json(pieces: replay.pieces)
        }
    }

    /// Up to where a list is replayed: `through`, the last change, or `at`, a time.
    private static func replayPoint(_ request: Request) throws -> (through: SequenceNumber?, moment: Timestamp?) {
        let query = request.uri.queryParameters
        let through = try query.get("through").map { text -> SequenceNumber in
            guard let number = Int64(text), number >= 0 else {
                throw Problem(.invalidArguments, "through must be a sequence, which is a whole number")
            }
            return SequenceNumber(rawValue: number)
        }
        let moment = try query.get("at").map { text -> Timestamp in
            guard let time = Timestamp(text) else {
                throw Problem(.invalidArguments, "at must be a time of RFC 3339, such as 2026-03-01T17:40:00Z")
            }
            return time
        }
        return (through, moment)
    }

    /// An identifier in the query.
    private func identifier<ID: Identifier>(in query: Parameters, _ name: Substring) throws -> ID? {
        try query.get(String(name)).map { text in
            guard let id = ID(text) else { throw Problem(.invalidArguments, "\(name) must be a UUID") }
            return id
        }
    }
}
