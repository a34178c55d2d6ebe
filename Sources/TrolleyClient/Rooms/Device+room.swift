public import TrolleyJournal
import TrolleyWire

extension Device {
    /// The room of a list that the person has open. Call ``RoomSession/refresh()`` while it is open, and
    /// ``RoomSession/stop()`` when it is closed.
    /// - Throws: `.notSignedIn`, `.store`.
    public func room(on list: ListID) async throws(DeviceError) -> RoomSession {
        guard let session = try await session() else { throw .notSignedIn }
        return RoomSession(self, list, me: RoomMember(account: session.account, device: session.device))
    }
}
