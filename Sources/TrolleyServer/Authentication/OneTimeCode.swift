import Crypto
package import TrolleyJournal
package import TrolleyStore
package import TrolleyWire

/// A code that a person types to prove something once: 80 random bits as 16 letters and digits of Crockford's base 32,
/// which has no characters that look alike. Only its hash is stored.
struct OneTimeCode: Hashable, Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    /// Without hyphens.
    private let symbols: [UInt8]

    init() { symbols = (0..<16).map { _ in Self.alphabet[Int.random(in: 0..<32)] } }

    /// Reads a typed code: upper and lower case, hyphens, spaces, O for 0, I and L for 1.
    init(text: String) {
        symbols = text.uppercased().utf8.compactMap { symbol -> UInt8? in
            switch symbol {
            case UInt8(ascii: "O"): UInt8(ascii: "0")
            case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
            case UInt8(ascii: "-"), UInt8(ascii: " "): nil
            default: symbol
            }
        }
    }

    /// `7H2K-9MXP-4T0Z-Q8WN`.
    var text: String {
        stride(from: 0, to: symbols.count, by: 4).map { start in
            String(decoding: symbols[start..<min(start + 4, symbols.count)], as: UTF8.self)
        }.joined(separator: "-")
    }

    /// SHA-256. A plain hash is enough: nobody can guess 80 random bits before the code expires.
    var hash: [UInt8] { Array(SHA256.hash(data: symbols)) }
}

/// A code with which a person who has forgotten their password sets a new one. It works once. The operator creates it.
package struct PasswordResetCode: Hashable, Sendable, Encodable {
    package let code: String
    package let email: String
    package let expiresAt: Timestamp

    /// - Throws: `StoreError`.
    package static func make(
        for account: AccountResponse, lifetime: Age, in store: Store
    ) async throws(StoreError) -> PasswordResetCode {
        let code = OneTimeCode()
        let expiresAt = try await store.createPasswordReset(
            hash: code.hash, account: account.id, lifetime: lifetime.milliseconds)
        return PasswordResetCode(code: code.text, email: account.email, expiresAt: expiresAt)
    }
}
