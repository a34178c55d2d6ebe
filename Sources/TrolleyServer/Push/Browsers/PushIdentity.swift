import Crypto
import FoundationEssentials
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
    func authorization(for origin: String, contact: String, now: Int64) throws(DeliveryFailure) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let claims = try encoder.encode(Claims(aud: origin, exp: now + Self.lifetime, sub: contact))
            let signed =
                Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8)) + "." + Base64URL.encode(Array(claims))
            let signature = try key.signature(for: Array(signed.utf8))
            return "vapid t=\(signed).\(Base64URL.encode(Array(signature.rawRepresentation))),k=\(publicKey)"
        } catch {
            throw .invalidEndpoint
        }
    }

    private struct Claims: Encodable {
        let aud: String
        let exp: Int64
        let sub: String
    }
}
