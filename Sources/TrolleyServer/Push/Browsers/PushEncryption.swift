import Crypto
import TrolleyStore

/// Message encryption for Web Push (RFC 8291): the `aes128gcm` coding (RFC 8188) in one record.
struct PushEncryption {
    /// Bytes of the one record. Push services accept no more (RFC 8291 §4).
    static let recordSize = 4096
    /// Bytes before the record: salt, record size, and the sender's public key with its length.
    private static let headerSize = 16 + 4 + 1 + 65
    /// The largest plaintext, without the delimiter and the tag.
    static let maximumPlaintext = recordSize - headerSize - 17

    /// A new one for each message.
    let sender: P256.KeyAgreement.PrivateKey
    let salt: [UInt8]

    init() {
        sender = P256.KeyAgreement.PrivateKey()
        salt = (0..<16).map { _ in .random(in: .min ... .max) }
    }

    init(sender: P256.KeyAgreement.PrivateKey, salt: [UInt8]) {
        self.sender = sender
        self.salt = salt
    }

    /// Encrypts a message for a browser.
    /// - Throws: `DeliveryFailure` (`invalidEndpoint`) if the browser's key is not a point of the curve.
    func encrypt(_ plaintext: [UInt8], for keys: PushKeys) throws(DeliveryFailure) -> [UInt8] {
        do {
            let receiver = try P256.KeyAgreement.PublicKey(x963Representation: keys.publicKey)
            let shared = try sender.sharedSecretFromKeyAgreement(with: receiver)
            let ours = Array(sender.publicKey.x963Representation)
            let material = shared.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: keys.secret,
                sharedInfo: Array("WebPush: info\0".utf8) + keys.publicKey + ours, outputByteCount: 32)
            let record = HKDF<SHA256>.extract(inputKeyMaterial: material, salt: salt)
            let key = HKDF<SHA256>.expand(
                pseudoRandomKey: record, info: Array("Content-Encoding: aes128gcm\0".utf8), outputByteCount: 16)
            let nonce = HKDF<SHA256>.expand(
                pseudoRandomKey: record, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
            // 2 delimits the last record.
            let box = try AES.GCM.seal(
                plaintext + [2], using: key, nonce: nonce.withUnsafeBytes { try AES.GCM.Nonce(data: $0) })
            let size = UInt32(Self.recordSize)
            let header =
                salt + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + [UInt8(ours.count)] + ours
            return header + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw .invalidEndpoint
        }
    }
}
