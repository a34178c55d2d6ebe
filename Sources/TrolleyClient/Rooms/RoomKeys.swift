import Crypto
import TrolleyJournal
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that are derived from a room's secret (decision 1702).
struct RoomKeys: Sendable {
    let room: RoomID
    /// Signs handshakes. The service has it, too.
    private let handshakeKey: SymmetricKey
    /// Seals what is said. The service never has it.
    private let frameKey: SymmetricKey

    init(_ credentials: RoomCredentials) {
        room = credentials.room
        let secret = SymmetricKey(data: credentials.secret)
        let salt = Data(credentials.room.description.utf8)
        handshakeKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: salt, info: Data(RoomHandshake.handshakeKeyInfo.utf8), outputByteCount: 32)
        frameKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: salt, info: Data(RoomHandshake.frameKeyInfo.utf8), outputByteCount: 32)
    }

    /// The handshake key, as the service gets it.
    var handshakeKeyText: String { handshakeKey.withUnsafeBytes { Base64URL.encode(Array($0)) } }

    /// A signed handshake, for one use.
    /// - Parameter now: by the service's clock.
    func handshake(
        for member: RoomMember, on list: ListID, at now: Timestamp,
        nonce: String = Base64URL.encode(RoomKeys.randomBytes(RoomHandshake.nonceBytes))
    ) -> RoomHandshake {
        var handshake = RoomHandshake(
            room: room, list: list, author: member.account, device: member.device, timestamp: now.milliseconds,
            nonce: nonce)
        let code = HMAC<SHA256>.authenticationCode(for: Data(handshake.signedText.utf8), using: handshakeKey)
        handshake.signature = Base64URL.encode(Array(code))
        return handshake
    }

    /// Seals a frame: AES-256-GCM with a random nonce. Room and sender are authenticated with it, so that nobody in the
    /// room can pass on another's frame as their own.
    /// - Returns: nil when it can't be sealed, which doesn't happen with a key of this length.
    func seal(_ frame: RoomFrame, from sender: RoomMember) -> String? {
        let box = try? AES.GCM.seal(Data(frame.json), using: frameKey, authenticating: context(sender))
        return box?.combined.map { Base64URL.encode(Array($0)) }
    }

    /// - Returns: nil when the frame isn't of this room and sender, or can't be read.
    func open(_ body: String, from sender: RoomMember) -> RoomFrame? {
        guard let bytes = Base64URL.decode(body), let box = try? AES.GCM.SealedBox(combined: Data(bytes)),
            let text = try? AES.GCM.open(box, using: frameKey, authenticating: context(sender))
        else { return nil }
        return try? RoomFrame(json: Array(text))
    }

    private func context(_ sender: RoomMember) -> Data { Data("\(room)|\(sender.account)|\(sender.device)".utf8) }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
