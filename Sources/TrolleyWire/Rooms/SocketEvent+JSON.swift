import TrolleyJournal

extension SocketEvent {
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .joined(let room, let remaining, let others):
            writer.member("type", "joined")
            room.writeMembers(to: &writer)
            writer.member("remaining", remaining)
            writer.member("others", others) { $0.writeMembers(to: &$1) }
        case .entered(let room, let member):
            writer.member("type", "entered")
            room.writeMembers(to: &writer)
            member.writeMembers(to: &writer)
        case .left(let room, let device):
            writer.member("type", "left")
            room.writeMembers(to: &writer)
            writer.member("device", device)
        case .said(let room, let sender, let body):
            writer.member("type", "said")
            room.writeMembers(to: &writer)
            sender.writeMembers(to: &writer)
            writer.member("body", body)
        case .closed(let room, let reason):
            writer.member("type", "closed")
            room.writeMembers(to: &writer)
            writer.member("reason", reason)
        case .refused(let room, let code, let detail):
            writer.member("type", "refused")
            room?.writeMembers(to: &writer)
            writer.member("code", code)
            writer.member("detail", ifAny: detail)
        case .hint(let name, let list, let sequence, let id):
            writer.member("type", "hint")
            writer.member("hint", name)
            writer.member("list", ifAny: list)
            writer.member("sequence", ifAny: sequence)
            writer.member("id", id)
        case .missed: writer.member("type", "missed")
        case .unknown: writer.member("type", "unknown")
        }
    }

    /// - Throws: `.malformed` and `.invalid`. A type or reason that this version doesn't know is ``unknown``.
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { (reader) throws(WireError) in try reader.object(Members.self) }
    }

    private struct Members: JSONMembers {
        var type = ""
        var room: RoomID?
        var account: AccountID?
        var device: DeviceID?
        var list: ListID?
        var sequence: SequenceNumber?
        var remaining: Int64?
        var others: [RoomMember] = []
        var texts = Texts()

        struct Texts {
            var body, reason, code, detail, hint, id: String?
        }

        mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(WireError) {
            switch key {
            case "type": type = try reader.string()
            case "room": room = try reader.identifier()
            case "account": account = try reader.identifier()
            case "device": device = try reader.identifier()
            case "list": list = try reader.identifier()
            case "sequence": sequence = SequenceNumber(rawValue: try reader.integer())
            case "remaining": remaining = try reader.integer()
            case "others": others = try reader.array { (reader) throws(WireError) in try RoomMember(from: &reader) }
            case "body": texts.body = try reader.string()
            case "reason": texts.reason = try reader.string()
            case "code": texts.code = try reader.string()
            case "detail": texts.detail = try reader.string()
            case "hint": texts.hint = try reader.string()
            case "id": texts.id = try reader.string()
            default: try reader.skip()
            }
        }

        func value() throws(WireError) -> SocketEvent {
            // A service before version 2 of the handshake names no list, and lets this version into no room.
            let named = room.flatMap { room in list.map { RoomAddress(room, on: $0) } }
            switch (type, named) {
            case ("said", let room?):
                guard let body = texts.body else { throw .invalid("said needs body") }
                return .said(room, from: try member(), body: body)
            case ("joined", let room?): return .joined(room, remaining: remaining ?? 0, others: others)
            case ("entered", let room?): return .entered(room, try member())
            case ("left", let room?):
                guard let device else { throw .invalid("left needs device") }
                return .left(room, device)
            case ("closed", let room?):
                guard let reason = RoomClosure(rawValue: texts.reason ?? "") else { return .unknown }
                return .closed(room, reason)
            case ("refused", _):
                return .refused(
                    named, ProblemCode(rawValue: texts.code ?? "") ?? .internalError, detail: texts.detail)
            case ("hint", _):
                guard let hint = texts.hint, let id = texts.id else { throw .invalid("hint needs hint and id") }
                return .hint(hint, list: list, sequence: sequence, id: id)
            case ("missed", _): return .missed
            case ("", _): throw .invalid("type is missing")
            default: return .unknown
            }
        }

        private func member() throws(WireError) -> RoomMember {
            guard let account, let device else { throw .invalid("account and device are missing") }
            return RoomMember(account: account, device: device)
        }
    }
}
