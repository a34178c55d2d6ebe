import TrolleyJournal
import TrolleyWire

/// What processes tell each other about rooms, by NOTIFY. One line of text each.
enum RoomSignal: Hashable, Sendable {
    case said(RoomAddress, RoomMember, body: String)
    /// The device is in the room, and its process asks for the others: processes with sockets in the room answer with
    /// ``present(_:_:)``.
    case entered(RoomAddress, RoomMember)
    /// Repeated while it holds.
    case present(RoomAddress, RoomMember)
    case left(RoomAddress, DeviceID)
    case hailed(ListID, DeviceID)
}

// No field contains white space: identifiers, and base64url. In the version before, the letters had no number, and an id
// alone named a room. A process of either version ignores the other's signals: until all are of one version, their rooms
// are apart.
extension RoomSignal: LosslessStringConvertible {
    var description: String {
        switch self {
        case .said(let room, let member, let body):
            "S2 \(room.list) \(room.id) \(member.account) \(member.device) \(body)"
        case .entered(let room, let member): "E2 \(room.list) \(room.id) \(member.account) \(member.device)"
        case .present(let room, let member): "P2 \(room.list) \(room.id) \(member.account) \(member.device)"
        case .left(let room, let device): "L2 \(room.list) \(room.id) \(device)"
        case .hailed(let list, let device): "H \(list) \(device)"
        }
    }

    init?(_ description: String) {
        var description = description
        guard let signal = description.withUTF8({ RoomSignal(line: $0) }) else { return nil }
        self = signal
    }

    /// Reads bytes: each frame of another process comes this way, and to step over a text's characters takes longer than all
    /// else that happens to it.
    init?(line: UnsafeBufferPointer<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " ")).map { UnsafeBufferPointer(rebasing: $0) }
        func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }
        func bits(_ index: Int) -> UUIDBits? { index < fields.count ? UUIDBits(ascii: fields[index]) : nil }
        guard let list = bits(1).map({ ListID($0) }), let second = bits(2) else { return nil }
        let kind = text(0)
        let room = RoomAddress(RoomID(second), on: list)
        switch (kind, fields.count) {
        case ("S2", 6), ("E2", 5), ("P2", 5):
            guard let account = bits(3), let device = bits(4) else { return nil }
            let member = RoomMember(account: AccountID(account), device: DeviceID(device))
            switch kind {
            case "E2": self = .entered(room, member)
            case "P2": self = .present(room, member)
            default: self = .said(room, member, body: text(5))
            }
        case ("L2", 4):
            guard let device = bits(3) else { return nil }
            self = .left(room, DeviceID(device))
        case ("H", 3): self = .hailed(list, DeviceID(second))
        default: return nil
        }
    }
}
