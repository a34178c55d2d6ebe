import FoundationEssentials
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Personal tokens of an account. They can't be managed by such a token.
struct TokenRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/tokens") { _, context -> Response in
            try .json(PersonalTokensResponse(tokens: try await store.personalTokens(of: context.session.account)))
        }
        router.post("v1/tokens") { request, context -> Response in
            let wanted = try await request.decode(PersonalTokenRequest.self, limits: limits)
            let name = try DisplayName.checked(wanted.name, called: "name")
            let account = try context.session.account
            if let lists = wanted.lists {
                guard (1...TokenScope.maxLists).contains(lists.count) else {
                    throw Problem(.invalidArguments, "lists must name 1 to \(TokenScope.maxLists) lists, or be absent")
                }
                let own = Set(try await store.lists(of: account).map(\.id))
                guard own.isSuperset(of: lists) else { throw Problem(.listNotFound, "you are not on one of the lists") }
            }
            if let end = wanted.expiresAt {
                let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
                guard end > now, end <= now.advanced(byMilliseconds: Self.longest) else {
                    throw Problem(.invalidArguments, "expiresAt must be in the future, and within ten years")
                }
            }
            let secret = Secret.personalToken()
            var made = try await store.createPersonalToken(
                account: account, name: name, tokenHash: secret.hash, unusable: Secret().hash,
                scope: TokenScope(isReadOnly: wanted.readOnly ?? false, lists: wanted.lists.map(Set.init)),
                expiresAt: wanted.expiresAt)
            made.token = secret.text
            return try .json(made, status: .created)
        }
        router.delete("v1/tokens/:token") { _, context -> Response in
            let token: DeviceID = try context.identifier("token", otherwise: .unknownItem)
            try await store.revokePersonalToken(token, of: context.session.account)
            hub.signedOut([token])
            return .noContent
        }
    }

    /// Milliseconds.
    private static let longest: Int64 = 10 * 366 * 86_400_000
}
