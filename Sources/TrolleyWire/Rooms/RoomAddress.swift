public import TrolleyJournal

/// Names a room. An id alone names none: devices choose it, so people of another list can choose the same one.
public struct RoomAddress: Hashable, Sendable {
    public var list: ListID
    public var id: RoomID

    public init(_ id: RoomID, on list: ListID) {
        self.id = id
        self.list = list
    }
}

extension RoomAddress {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("room", id)
        writer.member("list", list)
    }
}
