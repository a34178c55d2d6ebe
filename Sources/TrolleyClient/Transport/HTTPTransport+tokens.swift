import NIOHTTP1
import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls about personal tokens. They are never retried automatically.

extension HTTPTransport {
    func personalTokens() async throws(TransportError) -> [PersonalTokenResponse] {
        let response: PersonalTokensResponse = try await call(.GET, Path.tokens)
        return response.tokens
    }

    func createPersonalToken(
        _ request: PersonalTokenRequest
    ) async throws(TransportError) -> PersonalTokenResponse {
        try await call(.POST, Path.tokens, request)
    }

    func revokePersonalToken(_ token: DeviceID) async throws(TransportError) {
        try await send(.DELETE, Path.token(token), nil)
    }
}
