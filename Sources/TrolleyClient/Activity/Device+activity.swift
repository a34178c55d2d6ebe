public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// A list's Activity. The service keeps it, so these calls need the network.

extension Device {
    /// A page of a list's Activity, newest first. The call for the first page waits at most `fallbackTimeout`. If the
    /// error `isWithoutService`, ``knownActivity(of:limit:by:item:)`` returns what the device knows.
    /// - Parameters:
    ///   - list: the list.
    ///   - limit: the largest number of changes in the page.
    ///   - before: the `next` of the previous page: returns only older changes.
    ///   - account: returns only changes that this person made, or that concern their membership.
    ///   - item: returns only changes of this item.
    public func activity(
        of list: ListID, limit: Int, before: String? = nil, by account: AccountID? = nil, item: ItemID? = nil
    ) async throws(DeviceError) -> ActivityPage {
        let transport = try await transport(hasFallback: before == nil)
        do throws(DeviceError) {
            return try await withTransportErrors { () async throws(TransportError) in
                try await transport.activity(of: list, limit: limit, before: before, by: account, item: item)
            }
        } catch {
            try await noteSessionEnded(shownBy: error)
            throw error
        }
    }
}
