import Crypto
import TrolleyWire

/// 256 random bits that grant access, such as a bearer token or an invitation. Shown once as text, stored as a hash.
struct Secret {
    /// 43 characters of base64url.
    let text: String

    init() { text = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }

    init(text: String) { self.text = text }

    /// SHA-256 of the text. A plain hash is enough: nobody can guess 256 random bits.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
