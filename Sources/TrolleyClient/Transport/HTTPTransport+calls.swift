import NIOHTTP1
import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls that a person makes. They are never retried automatically.

extension HTTPTransport {
    func signUp(_ request: SignUpRequest) async throws(TransportError) -> AccountResponse {
        try await call(.POST, Path.accounts, request)
    }

    func signIn(_ request: SignInRequest) async throws(TransportError) -> SessionResponse {
        try await call(.POST, Path.sessions, request)
    }

    func account() async throws(TransportError) -> AccountResponse { try await call(.GET, Path.account) }

    func changeAccount(_ request: ChangeAccountRequest) async throws(TransportError) -> AccountResponse {
        try await call(.PATCH, Path.account, request)
    }

    func deleteAccount(_ request: DeleteAccountRequest) async throws(TransportError) {
        try await send(.DELETE, Path.account, encode(request))
    }

    func changePassword(_ request: ChangePasswordRequest) async throws(TransportError) -> PasswordResponse {
        try await call(.PUT, Path.accountPassword, request)
    }

    func resetPassword(_ request: ResetPasswordRequest) async throws(TransportError) -> PasswordResponse {
        try await call(.POST, Path.password, request)
    }

    func sendEmailCode(_ request: EmailCodeRequest) async throws(TransportError) {
        try await send(.POST, Path.emailCodes, encode(request))
    }

    func changeEmail(_ request: ChangeEmailRequest) async throws(TransportError) -> AccountResponse {
        try await call(.PUT, Path.accountEmail, request)
    }

    func devices() async throws(TransportError) -> DevicesResponse { try await call(.GET, Path.devices) }

    func signOut(_ device: DeviceID) async throws(TransportError) {
        try await send(.DELETE, Path.device(device), nil)
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
    func replay(_ list: ListID, to point: ReplayPoint) async throws(TransportError) -> [UInt8] {
        switch point {
        case .change(let number): try await send(.GET, Path.replay(list) + "?through=\(number)", nil)
        case .time(let time): try await send(.GET, Path.replay(list) + "?at=\(time)", nil)
        }
    }

    /// All data of the account, as the service's JSON.
    func export() async throws(TransportError) -> [UInt8] { try await send(.GET, Path.export, nil) }
}
