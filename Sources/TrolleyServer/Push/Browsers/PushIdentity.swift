import Crypto
import FoundationEssentials
import JWTKit
import TrolleyWire

/// How the service identifies itself to push services: VAPID (RFC 8292), with a key that all its processes share.
struct PushIdentity: Sendable {
    /// Seconds for which a token is valid. RFC 8292 allows a day.
    private static let lifetime: Int64 = 12 * 3600

    let key: P256.Signing.PrivateKey

    /// 65 bytes in base64url.
    var publicKey: String { Base64URL.encode(Array(key.publicKey.x963Representation)) }

    /// The value of `Authorization`.
    /// - Parameters:
    ///   - origin: the push service's.
    ///   - contact: whom the push service may contact: `mailto:` or `https:`.
    ///   - now: seconds since 1970.
    func authorization(for origin: String, contact: String, now: Int64) async throws(DeliveryFailure) -> String {
        let claims = Claims(aud: origin, exp: now + Self.lifetime, sub: contact)
        // Sorted, so that a token's text depends on nothing but its claims and its signature.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let keys = await JWTKeyCollection().add(
                ecdsa: try ES256PrivateKey(backing: key), serializer: DefaultJWTSerializer(jsonEncoder: encoder))
            return "vapid t=\(try await keys.sign(claims)),k=\(publicKey)"
        } catch {
            throw .invalidEndpoint
        }
    }

    /// The claims of RFC 8292 §2.
    private struct Claims: JWTPayload {
        let aud: String
        let exp: Int64
        let sub: String

        /// The service only signs such tokens.
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
