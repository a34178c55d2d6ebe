import Crypto
import FoundationEssentials
import NIOCore
import NIOSSL
import Synchronization
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// A list of two people, and a room on it.
struct RoomScene: Sendable {
    let service: TestService
    let anna: Person
    let ben: Person
    let list: ListID
    let room: TestRoom

    init(_ service: TestService) async throws {
        self.service = service
        anna = try await service.person("anna")
        ben = try await service.person("ben")
        list = try await service.list(of: anna)
        try await service.add(ben, to: list, of: anna)
        room = TestRoom(list: list)
        let made = try await service.hail([], to: room, by: anna)
        try #require(made.status == 200)
    }

    /// The path of a room's socket.
    func path(_ person: Person, _ room: TestRoom? = nil, _ change: (inout RoomHandshake) -> Void = { _ in }) -> String {
        let room = room ?? self.room
        let handshake = room.handshake(of: person, change)
        return "\(Path.roomSocket(handshake.room))?\(handshake.query)"
    }

    /// Opens a socket in the room, and waits until the device is in it.
    func enter<Value: Sendable>(
        as person: Person, at service: TestService? = nil, _ room: TestRoom? = nil, tls: TLSConfiguration? = nil,
        _ body: @Sendable @escaping (TestSocket) async throws -> Value
    ) async throws -> Value {
        let port = (service ?? self.service).port
        return try await TestSocket.with(port: port, path(person, room), token: person.token, tls: tls) { socket in
            try #require(socket.status == 101, "\(socket.body)")
            let joined = try await socket.event { if case .joined = $0 { true } else { false } }
            try #require(joined != nil)
            return try await body(socket)
        }
    }
}

/// A room's secret, as its makers have it.
struct TestRoom: Sendable {
    var id = RoomID.random()
    var list: ListID
    let secret = SymmetricKey(size: .bits256)

    init(id: RoomID = .random(), list: ListID) {
        self.id = id
        self.list = list
    }

    var address: RoomAddress { RoomAddress(id, on: list) }

    var handshakeKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: Data(id.description.utf8),
            info: Data(RoomHandshake.handshakeKeyInfo.utf8), outputByteCount: 32)
    }

    var keyText: String { handshakeKey.withUnsafeBytes { Base64URL.encode(Array($0)) } }

    /// A signed handshake.
    /// - Parameter change: made before it is signed.
    func handshake(of person: Person, _ change: (inout RoomHandshake) -> Void = { _ in }) -> RoomHandshake {
        var handshake = RoomHandshake(
            room: id, list: list, author: person.account, device: person.device,
            timestamp: Int64(Date().timeIntervalSince1970 * 1000), nonce: Self.nonce())
        change(&handshake)
        if handshake.signature.isEmpty { handshake.signature = sign(handshake.signedText) }
        return handshake
    }

    func sign(_ text: String) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: handshakeKey)))
    }

    static func nonce() -> String { Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }) }
}

extension TestService {
    /// Opens the list on a device that enters rooms.
    @discardableResult
    func open(_ list: ListID, by person: Person) async throws -> PresenceResponse {
        let key = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let answer = try await call(
            "PUT", Path.presence(list), token: person.token, json: #"{"present":true,"hailKey":"\#(key)"}"#)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode()
    }

    func hail(_ devices: [DeviceID], to room: TestRoom, by person: Person) async throws -> Answer {
        let hails = devices.map { HailsRequest.Outgoing(to: $0, sealed: Base64URL.encode(Array("sealed".utf8))) }
        let request = HailsRequest(room: room.id, key: room.keyText, hails: hails)
        return try await call(
            "POST", Path.hails(room.list), token: person.token, body: Array(try JSONEncoder().encode(request)))
    }

    func hails(on list: ListID, to person: Person) async throws -> [Hail] {
        try await call("GET", Path.hails(list), token: person.token).decode(HailsList.self).hails
    }

    /// As if people in rooms had not been compared with the database for so long.
    func forgetChecks(for time: Duration) { service.rooms.checkedAt.withLock { $0 = .now - time } }

    func isUnchecked(for time: Duration) -> Bool { service.rooms.checkedAt.withLock { $0 <= .now - time } }

    /// Waits until this many sockets are open.
    func expectSockets(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("\(count) open sockets", sourceLocation: sourceLocation) {
            service.rooms.sockets
        } until: {
            $0 == count
        }
    }
}

extension SocketEvent {
    var saidBody: String? { if case .said(_, _, let body) = self { body } else { nil } }
    var isEntered: Bool { if case .entered = self { true } else { false } }
}
