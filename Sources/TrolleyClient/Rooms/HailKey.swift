import Crypto
import TrolleyJournal
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A device's key for hails: X25519, made anew each time that it opens a list, and never stored.
///
/// A hail is sealed with HPKE (RFC 9180): X25519, HKDF-SHA256, AES-256-GCM. List, room, sender and addressee are its
/// context, so it opens for nobody else and nowhere else. It is the encapsulated key (32 bytes), then the ciphertext.
struct HailKey: Sendable {
    private let key: Curve25519.KeyAgreement.PrivateKey

    private static let suite = HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
    private static let encapsulatedBytes = 32

    init() { key = Curve25519.KeyAgreement.PrivateKey() }

    /// - Parameter bytes: a private key of 32 bytes.
    init(bytes: [UInt8]) throws { key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: Data(bytes)) }

    /// The public key, as it is told with presence.
    var text: String { Base64URL.encode(Array(key.publicKey.rawRepresentation)) }

    /// Seals a room's credentials for another device.
    /// - Parameter key: the addressee's public key.
    /// - Returns: nil when the key is none.
    static func seal(
        _ credentials: RoomCredentials, for key: String, on list: ListID, from sender: RoomMember, to device: DeviceID
    ) -> String? {
        guard let bytes = Base64URL.decode(key),
            let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes),
            var hpke = try? HPKE.Sender(
                recipientKey: publicKey, ciphersuite: suite,
                info: context(list, credentials.room, from: sender, to: device)),
            let sealed = try? hpke.seal(Data(credentials.json))
        else { return nil }
        return Base64URL.encode(Array(hpke.encapsulatedKey) + Array(sealed))
    }

    /// Opens a hail to this device.
    /// - Returns: nil when it is for another key, or not what the service says.
    func open(_ hail: Hail, on list: ListID, to device: DeviceID) -> RoomCredentials? {
        let sender = RoomMember(account: hail.author, device: hail.device)
        guard let sealed = Base64URL.decode(hail.sealed), sealed.count > Self.encapsulatedBytes,
            var hpke = try? HPKE.Recipient(
                privateKey: key, ciphersuite: Self.suite,
                info: Self.context(list, hail.room, from: sender, to: device),
                encapsulatedKey: Data(sealed.prefix(Self.encapsulatedBytes))),
            let text = try? hpke.open(Data(sealed.dropFirst(Self.encapsulatedBytes))),
            let credentials = try? RoomCredentials(json: Array(text)), credentials.room == hail.room
        else { return nil }
        return credentials
    }

    private static func context(
        _ list: ListID, _ room: RoomID, from sender: RoomMember, to device: DeviceID
    ) -> Data {
        Data("trolley hail 1|\(list)|\(room)|\(sender.account)|\(sender.device)|\(device)".utf8)
    }
}
