import TrolleyJournal
public import TrolleySync
import TrolleyWire

extension ShoppingList {
    /// The room of a list that the person has open. Call ``RoomSession/refresh()`` while it is open, and
    /// ``RoomSession/stop()`` when it is closed.
    ///
    /// ```swift
    /// let room = try await list.room()
    /// try await room.refresh()
    /// await room.stop()
    /// ```
    /// - Throws: `.notSignedIn`, `.store`.
    public func room() async throws(DeviceError) -> RoomSession {
        guard let session = try await device.session() else { throw .notSignedIn }
        return RoomSession(device, id, me: RoomMember(account: session.account, device: session.device))
    }

    /// Items that two people have marked off at nearly the same time, as far as the list's journal on this device says,
    /// oldest first. It needs no room.
    ///
    /// ```swift
    /// for double in try await list.doubleBuys() { print(double.first, double.second) }
    /// ```
    public func doubleBuys() async throws(DeviceError) -> [DoubleBuy] {
        let journal = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.journal(of: id)
        }
        return DoubleBuy.found(in: journal.confirmed)
    }
}
