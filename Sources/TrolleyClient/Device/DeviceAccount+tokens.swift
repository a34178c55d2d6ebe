public import TrolleyJournal
import TrolleySync
public import TrolleyWire

extension DeviceAccount {
    /// The account's personal tokens, oldest first, without the tokens themselves.
    ///
    /// ```swift
    /// for token in try await device.account.personalTokens() { print(token.name, token.readOnly) }
    /// ```
    public func personalTokens() async throws(DeviceError) -> [PersonalTokenResponse] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.personalTokens()
        }
    }

    /// Makes a personal token: a key, also an app password, by which another program acts for the person. Its changes are in
    /// the Activity under its name.
    ///
    /// ```swift
    /// let made = try await device.account.createPersonalToken(PersonalTokenRequest(name: "Ann's Thunderbird"))
    /// print(made.token ?? "")
    /// ```
    /// - Returns: the token with `PersonalTokenResponse.token`, which nothing returns again.
    /// - Throws: ``DeviceError/transport(_:)``: `invalidArguments`, `listNotFound`, or `quotaExceeded` for a 51st token.
    public func createPersonalToken(
        _ request: PersonalTokenRequest
    ) async throws(DeviceError) -> PersonalTokenResponse {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.createPersonalToken(request)
        }
    }

    /// Revokes a personal token. Its requests are refused from now on, and its open streams end. Safe to repeat.
    ///
    /// ```swift
    /// for token in try await device.account.personalTokens() where token.name == "Ann's Thunderbird" {
    ///     try await device.account.revokePersonalToken(token.id)
    /// }
    /// ```
    /// - Throws: ``DeviceError/transport(_:)``: `unknownItem` if the account has no such token.
    public func revokePersonalToken(_ token: DeviceID) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.revokePersonalToken(token)
        }
    }
}
