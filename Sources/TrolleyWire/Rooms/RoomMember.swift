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

    package init(_ object: JSONObject) {
        self.init(account: AccountID(object.requiredBits("account")), device: DeviceID(object.requiredBits("device")))
    }
}
