import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Messages for clients that don't fold. Devices get them with their lists' changes.
struct MessageRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let tokenKey: ChangeToken.Key
    let limits: Limits

    private static let usualLimit = 50
    private static let maxLimit = 250

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/lists/:list/messages") { request, context -> Response in
            let (list, account) = (try context.list(), try context.session.account)
            let query = request.uri.queryParameters
            if query.get("after") != nil, query.get("before") != nil {
                throw Problem(.invalidArguments, "after and before exclude each other")
            }
            let after = try query.get("after").map { try Start($0, called: "after", of: list, key: tokenKey) }
            let before = query.get("before").map { ChangeToken($0, list: list, key: tokenKey) }
            let range = try await store.messages(
                of: list, for: account, at: after?.place ?? .before((before ?? nil)?.sequence),
                limit: try limit(query.get("limit")))
            try ChangeToken.checkForm(query.get("before"), called: "before")
            if let before, before == nil { throw Problem(.changeTokenExpired) }
            try after?.check(range)
            return .json(bytes: page(range, isIncremental: after != nil, isOlder: before != nil).json)
        }
        router.get("v1/lists/:list/messages/deleted") { request, context -> Response in
            let (list, account) = (try context.list(), try context.session.account)
            let query = request.uri.queryParameters
            let since = try query.get("since").map { try Start($0, called: "since", of: list, key: tokenKey) }
            let range = try await store.deletedMessages(
                of: list, for: account, at: since?.place ?? .after(.start), limit: try limit(query.get("limit")))
            try since?.check(range)
            return try .json(
                DeletedMessages(
                    messages: range.deleted, token: token(at: range), moreComing: !range.isComplete))
        }
        router.post("v1/lists/:list/messages/read") { request, context -> Response in
            let wanted = try await request.decode(ReadMessagesRequest.self, limits: limits)
            let (list, session) = (try context.list(), try context.session)
            guard let through = try await store.markRead(Set(wanted.messages), on: list, by: session.account) else {
                throw Problem(.unknownItem, "this list has no such message")
            }
            hub.read(list, through: through, by: session)
            return try .json(ReadPosition(through: through))
        }
    }

    private func limit(_ text: String?) throws(Problem) -> Int {
        text == nil ? Self.usualLimit : min(try limits.pageLimit(text: text), Self.maxLimit)
    }

    private func page(_ range: MessageRange, isIncremental: Bool, isOlder: Bool) -> MessagesPage {
        let first = range.messages.first?.sequence
        let hasOlder = !isIncremental && !range.isComplete
        let changes = range.changeRange
        let next = hasOlder ? first.map { ChangeToken(list: changes.list, epoch: changes.epoch, sequence: $0) } : nil
        return MessagesPage(
            messages: range.messages, deleted: range.deleted, total: range.total, reads: range.reads,
            token: isOlder ? nil : token(at: range, isIncremental: isIncremental),
            moreComing: isIncremental && !range.isComplete, next: next?.text(key: tokenKey))
    }

    /// The token for everything up to the end of a range.
    private func token(at range: MessageRange, isIncremental: Bool = true) -> String {
        let changes = range.changeRange
        let isCut = isIncremental && !range.isComplete
        let end = isCut ? range.last?.sequence ?? changes.head : changes.head
        return ChangeToken(
            list: changes.list, epoch: changes.epoch, sequence: end,
            mark: range.last?.sequence == end ? range.last?.receivedAt : nil, floor: changes.trailFrom
        ).text(key: tokenKey)
    }
}

extension MessageRoutes {
    /// The start of a request for newer messages: a change token or a time.
    private struct Start {
        let place: MessagePlace
        private let token: ChangeToken?

        /// - Throws: `Problem` (`invalidArguments`).
        init(_ text: String, called name: String, of list: ListID, key: ChangeToken.Key) throws(Problem) {
            if let time = Timestamp(text) {
                (place, token) = (.since(time), nil)
                return
            }
            guard ChangeToken.isWellFormed(text) else {
                throw Problem(.invalidArguments, "\(name) is neither a change token nor a time of RFC 3339")
            }
            token = ChangeToken(text, list: list, key: key)
            place = .after(token?.sequence ?? .start)
        }

        /// - Throws: `Problem` (`changeTokenExpired`) when something may be missing after the start.
        func check(_ range: MessageRange) throws(Problem) {
            if case .after = place {
                guard let token, token.validity(for: range.changeRange) == .valid else {
                    throw Problem(.changeTokenExpired)
                }
            }
            guard range.isRetained else { throw Problem(.changeTokenExpired) }
        }
    }
}
