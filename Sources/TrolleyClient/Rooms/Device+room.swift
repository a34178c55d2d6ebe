public import TrolleyJournal
public import TrolleySync
import TrolleyWire

extension Device {
    /// The room of a list that the person has open. Call ``RoomSession/refresh()`` while it is open, and
    /// ``RoomSession/stop()`` when it is closed.
    /// - Throws: `.notSignedIn`, `.store`.
    public func room(on list: ListID) async throws(DeviceError) -> RoomSession {
        guard let session = try await session() else { throw .notSignedIn }
        return RoomSession(self, list, me: RoomMember(account: session.account, device: session.device))
    }

    /// Items that two people have marked off at nearly the same time, as far as the list's journal on this device says,
    /// oldest first. It needs no room.
    public func doubleBuys(in list: ListID) async throws(DeviceError) -> [DoubleBuy] {
        let journal = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.journal(of: list)
        }
        return DoubleBuy.found(in: journal.confirmed)
    }
}
