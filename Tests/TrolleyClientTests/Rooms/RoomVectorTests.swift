import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyClient

/// `Tests/Vectors/rooms`: the keys of a room and what is sealed with them. The web app's tests read it, too
/// (`Tests/Browser/test_rooms.py`).
@Suite("Vectors of rooms", .timeLimit(.minutes(20)))
struct RoomVectorTests {
    private struct Vector: Decodable {
        struct Sealed: Decodable {
            var to: DeviceID
            var privateKey: String
            var publicKey: String
            var sealed: String
        }

        var list: ListID
        var account: AccountID
        var device: DeviceID
        /// The JSON of `RoomCredentials`.
        var credentials: String
        var handshakeKey: String
        var timestamp: Int64
        var nonce: String
        var signature: String
        /// A frame, sealed by the device.
        var body: String
        /// The credentials, sealed by the device for another one.
        var hail: Sealed
    }

    private let vector: Vector
    private let credentials: RoomCredentials
    private var sender: RoomMember { RoomMember(account: vector.account, device: vector.device) }

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Vectors/rooms/keys.json")
        vector = try JSONDecoder().decode(Vector.self, from: Data(contentsOf: file.standardized))
        credentials = try RoomCredentials(json: Array(vector.credentials.utf8))
    }

    @Test func `a room's keys, a signature and a sealed frame are as in the web app`() throws {
        let keys = RoomKeys(credentials)
        #expect(keys.handshakeKeyText == vector.handshakeKey)
        #expect(keys.open(vector.body, from: sender) == RoomFrame.typing(nil))
        let other = RoomMember(account: vector.account, device: vector.hail.to)
        #expect(keys.open(vector.body, from: other) == nil)
        var signed = keys.handshake(
            for: sender, on: vector.list, at: Timestamp(milliseconds: vector.timestamp), nonce: vector.nonce)
        #expect(signed.signature == vector.signature)
        signed = keys.handshake(for: sender, on: vector.list, at: Timestamp(milliseconds: vector.timestamp))
        #expect(signed.nonce != vector.nonce && signed.signature != vector.signature)
    }

    @Test func `a hail that the web app has sealed can be opened`() throws {
        let key = try HailKey(bytes: try #require(Base64URL.decode(vector.hail.privateKey)))
        #expect(key.text == vector.hail.publicKey)
        let hail = Hail(
            id: HailID(UUIDBits(high: 0, low: 1)), room: credentials.room, author: vector.account,
            device: vector.device, sealed: vector.hail.sealed, createdAt: credentials.createdAt,
            expiresAt: credentials.expiresAt)
        #expect(key.open(hail, on: vector.list, to: vector.hail.to) == credentials)
        #expect(key.open(hail, on: vector.list, to: vector.device) == nil)
    }
}
