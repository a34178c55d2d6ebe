public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// A list's Activity. The service keeps it, so these calls need the network.

extension ShoppingList {
    /// A page of a list's Activity, newest first. The call for the first page waits at most `fallbackTimeout`. If the
    /// error `isWithoutService`, ``knownActivity(limit:by:item:)`` returns what the device knows.
    ///
    /// ```swift
    /// let page = try await list.activity(limit: 50)
    /// let older = try await list.activity(limit: 50, before: page.next)
    /// print(page.activity.count + older.activity.count)
    /// ```
    /// - Parameters:
    ///   - limit: the largest number of changes in the page.
    ///   - before: the `next` of the previous page: returns only older changes.
    ///   - account: returns only changes that this person made, or that concern their membership.
    ///   - item: returns only changes of this item.
    public func activity(limit: Int, before: String? = nil, by account: AccountID? = nil, item: ItemID? = nil)
        async throws(DeviceError) -> ActivityPage
    {
        let transport = try await device.transport(hasFallback: before == nil)
        do throws(DeviceError) {
            return try await device.withTransportErrors { () async throws(TransportError) in
                try await transport.activity(of: id, limit: limit, before: before, by: account, item: item)
            }
        } catch {
            try await device.noteSessionEnded(shownBy: error)
            throw error
        }
    }
}
