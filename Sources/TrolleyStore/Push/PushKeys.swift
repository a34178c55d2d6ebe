/// A browser's keys, with which its messages are encrypted (RFC 8291).
package struct PushKeys: Hashable, Sendable {
    /// P-256, uncompressed: 65 bytes.
    package let publicKey: [UInt8]
    /// The authentication secret: 16 bytes.
    package let secret: [UInt8]

    package init(publicKey: [UInt8], secret: [UInt8]) {
        self.publicKey = publicKey
        self.secret = secret
    }
}
