import Crypto
import FoundationEssentials

/// Signs a webhook's messages by the Standard Webhooks scheme: HMAC-SHA256 over id, time and body.
struct WebhookSignature {
    /// 32 bytes.
    let secret: [UInt8]

    /// The secret as people store it: `whsec_` and base64.
    var text: String { "whsec_" + Data(secret).base64EncodedString() }

    /// The value of `webhook-signature`.
    /// - Parameters:
    ///   - id: the message's, the same in all attempts.
    ///   - timestamp: seconds since 1970, of this attempt.
    func sign(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret))
        return "v1," + Data(code).base64EncodedString()
    }
}
