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

    #if !hasFeature(Embedded)
        /// - Throws: `.malformed` and `.invalid`. A type that this version doesn't know is ``unknown``, another reason ``RoomClosure/left``.
        public init(json: some Collection<UInt8>) throws(WireError) {
            self = try JSONObject.read(json) { SocketEvent($0) }
        }
    #endif

    private enum Kind: String, CaseIterable {
        case joined, entered, left, said, closed, refused, hint, missed
    }

    package init(_ object: JSONObject) {
        // A service before version 2 of the handshake names no list, and lets this version into no room.
        let room = object.identifier("room", RoomID.self).flatMap { room in
            object.identifier("list").map { RoomAddress(room, on: $0) }
        }
        switch (Kind(name: object.requiredString("type")), room) {
        case (.joined?, let room?):
            self = .joined(
                room, remaining: object.integer("remaining") ?? 0,
                others: (object.objects("others") ?? []).map { RoomMember($0) })
        case (.entered?, let room?): self = .entered(room, RoomMember(object))
        case (.left?, let room?): self = .left(room, DeviceID(object.requiredBits("device")))
        case (.said?, let room?):
            self = .said(room, from: RoomMember(object), body: object.requiredString("body"))
        case (.closed?, let room?):
            // The device is out for whatever reason, also one of a later version; it may enter again.
            self = .closed(room, RoomClosure(name: object.string("reason") ?? "") ?? .left)
        case (.refused?, _):
            self = .refused(room, ProblemCode(word: object.string("code") ?? ""), detail: object.string("detail"))
        case (.hint?, _):
            self = .hint(
                object.requiredString("hint"), list: object.identifier("list"),
                sequence: object.integer("sequence").map { SequenceNumber(rawValue: $0) },
                id: object.requiredString("id"))
        case (.missed?, _): self = .missed
        default: self = .unknown
        }
    }
}
