import Crypto
import TrolleyWire

/// 256 random bits that grant access, such as a bearer token or an invitation. Shown once as text, stored as a hash.
struct Secret {
    /// 43 characters of base64url.
    let text: String

    init() { text = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }

    init(text: String) { self.text = text }

    /// A personal token: `trl_` and 26 characters of base32 (RFC 4648), which are 130 random bits. It can be typed on a phone,
    /// and programs that look for leaked secrets recognize it.
    static func personalToken() -> Secret {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        let characters = (0..<26).map { _ in alphabet[Int.random(in: 0..<32)] }
        return Secret(text: "trl_" + String(decoding: characters, as: UTF8.self))
    }

    /// SHA-256 of the text. A plain hash is enough: nobody can guess 256 random bits.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
