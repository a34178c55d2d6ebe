public import TrolleyJournal

/// A device in a room.
public struct RoomMember: Hashable, Sendable {
    public var account: AccountID
    public var device: DeviceID

    public init(account: AccountID, device: DeviceID) {
        self.account = account
        self.device = device
    }
}

extension RoomMember {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("account", account)
        writer.member("device", device)
    }

    init(from reader: inout JSONReader) throws(WireError) {
        var (account, device): (AccountID?, DeviceID?)
        try reader.object { (key, reader) throws(WireError) in
            switch key {
            case "account": account = try reader.identifier()
            case "device": device = try reader.identifier()
            default: try reader.skip()
            }
        }
        guard let account, let device else { throw .invalid("a member needs account and device") }
        self.init(account: account, device: device)
    }
}
