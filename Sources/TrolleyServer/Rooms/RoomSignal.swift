import TrolleyJournal
import TrolleyWire

/// What processes tell each other about rooms, by NOTIFY. One line of text each.
enum RoomSignal: Hashable, Sendable {
    case said(RoomID, RoomMember, body: String)
    /// The device is in the room, and its process asks for the others: processes with sockets in the room answer with
    /// ``present(_:_:)``.
    case entered(RoomID, RoomMember)
    /// Repeated while it holds.
    case present(RoomID, RoomMember)
    case left(RoomID, DeviceID)
    case hailed(ListID, DeviceID)
}

// No field contains white space: identifiers, and base64url.
extension RoomSignal: LosslessStringConvertible {
    var description: String {
        switch self {
        case .said(let room, let member, let body): "S \(room) \(member.account) \(member.device) \(body)"
        case .entered(let room, let member): "E \(room) \(member.account) \(member.device)"
        case .present(let room, let member): "P \(room) \(member.account) \(member.device)"
        case .left(let room, let device): "L \(room) \(device)"
        case .hailed(let list, let device): "H \(list) \(device)"
        }
    }

    init?(_ description: String) { self.init(line: Substring(description)) }

    init?(line: Substring) {
        let fields = line.split(separator: " ")
        guard fields.count >= 3, let id = UUIDBits(String(fields[1])) else { return nil }
        func bits(_ index: Int) -> UUIDBits? { index < fields.count ? UUIDBits(String(fields[index])) : nil }
        switch fields[0] {
        case "S", "E", "P":
            guard let account = bits(2), let device = bits(3) else { return nil }
            let member = RoomMember(account: AccountID(account), device: DeviceID(device))
            switch fields[0] {
            case "E": self = .entered(RoomID(id), member)
            case "P": self = .present(RoomID(id), member)
            default:
                guard fields.count == 5 else { return nil }
                self = .said(RoomID(id), member, body: String(fields[4]))
            }
        case "L":
            guard let device = bits(2) else { return nil }
            self = .left(RoomID(id), DeviceID(device))
        case "H":
            guard let device = bits(2) else { return nil }
            self = .hailed(ListID(id), DeviceID(device))
        default: return nil
        }
    }
}
