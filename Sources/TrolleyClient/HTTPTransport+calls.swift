import NIOHTTP1
import TrolleyJournal
import TrolleySync
import TrolleyWire

// The calls that need a person there: they are never tried again by themselves.

extension HTTPTransport {
    func signUp(_ request: SignUpRequest) async throws(TransportError) -> AccountResponse {
        try await call(.POST, Path.accounts, request)
    }

    func signIn(_ request: SignInRequest) async throws(TransportError) -> SessionResponse {
        try await call(.POST, Path.sessions, request)
    }

    func deleteAccount(_ request: DeleteAccountRequest) async throws(TransportError) {
        try await send(.DELETE, Path.account, encode(request))
    }

    func signOut() async throws(TransportError) { try await send(.DELETE, Path.session, nil) }

    func activity(
        of list: ListID, limit: Int, before: String?, by account: AccountID?, item: ItemID?
    ) async throws(TransportError) -> ActivityPage {
        var query = "?limit=\(limit)"
        if let before { query += "&before=\(before)" }
        if let account { query += "&account=\(account)" }
        if let item { query += "&item=\(item)" }
        let body = try await send(.GET, Path.activity(list) + query, nil)
        do {
            return try ActivityPage(json: body)
        } catch {
            throw .notUnderstood(error.description)
        }
    }

    /// The list as it was, as the service says it in JSON.
    func replay(_ list: ListID, through: Int64) async throws(TransportError) -> [UInt8] {
        try await send(.GET, Path.replay(list) + "?through=\(through)", nil)
    }

    /// Everything of the person's, as the service writes it.
    func export() async throws(TransportError) -> [UInt8] { try await send(.GET, Path.export, nil) }
}
