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

    func signOut() async throws(TransportError) { try await send(.DELETE, Path.session, nil) }

    func share(of list: ListID) async throws(TransportError) -> ShareState {
        let response: ShareResponse = try await call(.GET, Path.share(list))
        return response.share
    }

    func invite(_ request: InvitationRequest, to list: ListID) async throws(TransportError) -> InvitationResponse {
        try await call(.POST, Path.invitations(list), request)
    }

    func look(at secret: String) async throws(TransportError) -> InvitationPreview {
        try await call(.GET, Path.invitation(secret))
    }

    func accept(_ secret: String) async throws(TransportError) -> ListResponse {
        try await call(.POST, Path.acceptance(secret), [String: String]())
    }

    /// Deletes the list for everybody when it is one's own; leaves it when it isn't.
    func deleteList(_ list: ListID) async throws(TransportError) { try await send(.DELETE, Path.list(list), nil) }

    func stopSharing(_ list: ListID) async throws(TransportError) { try await send(.DELETE, Path.share(list), nil) }

    func activity(of list: ListID, limit: Int) async throws(TransportError) -> ActivityPage {
        let body = try await send(.GET, Path.activity(list) + "?limit=\(limit)", nil)
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

    func remove(_ account: AccountID, from list: ListID) async throws(TransportError) {
        try await send(.DELETE, Path.participant(account, of: list), nil)
    }
}
