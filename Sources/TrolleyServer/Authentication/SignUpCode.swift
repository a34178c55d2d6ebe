package import TrolleyJournal
package import TrolleyStore
package import TrolleyWire

/// A code with which one person can sign up. It works once. The operator creates it. Only its hash is stored.
package struct SignUpCode: Hashable, Sendable, Encodable {
    package let code: String
    /// The only address that can use it; nil for any address.
    package let email: String?
    package let expiresAt: Timestamp

    /// - Throws: `Problem` when the address is invalid; `StoreError`.
    package static func make(for email: String?, lifetime: Age, in store: Store) async throws -> SignUpCode {
        let secret = Secret()
        let address: EmailAddress? = if let email { try EmailAddress(email) } else { nil }
        let expiresAt = try await store.createSignUpCode(
            hash: secret.hash, email: address, lifetime: lifetime.milliseconds)
        return SignUpCode(code: secret.text, email: address?.text, expiresAt: expiresAt)
    }
}
