public import TrolleyJournal
public import TrolleyStore
public import TrolleyWire

/// What an operator gives somebody who is to sign up: it works once. Only its hash is stored.
public struct SignUpCode: Hashable, Sendable, Encodable {
    public let code: String
    /// Whose it is; nil: whoever has it.
    public let email: String?
    public let expiresAt: Timestamp

    /// - Throws: `Problem` when the address is none; `StoreError`.
    public static func make(for email: String?, lifetime: Age, in store: Store) async throws -> SignUpCode {
        let secret = Secret()
        let address: EmailAddress? = if let email { try EmailAddress(email) } else { nil }
        let expiresAt = try await store.createSignUpCode(
            hash: secret.hash, email: address, lifetime: lifetime.milliseconds)
        return SignUpCode(code: secret.text, email: address?.text, expiresAt: expiresAt)
    }
}
