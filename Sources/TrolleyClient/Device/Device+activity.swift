public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// What happened to a list. The service keeps it, so it needs the network.

extension Device {
    /// Everything that happened to a list, newest first.
    /// - Parameters:
    ///   - list: which list.
    ///   - limit: entries in the page at the most.
    ///   - before: `next` of the page before: only what is older.
    ///   - account: only what this person did, or what happened to them.
    ///   - item: only what happened to this item.
    public func activity(
        of list: ListID, limit: Int, before: String? = nil, by account: AccountID? = nil, item: ItemID? = nil
    ) async throws(DeviceError) -> ActivityPage {
        let transport = try await transport()
        return try await called { () async throws(TransportError) in
            try await transport.activity(of: list, limit: limit, before: before, by: account, item: item)
        }
    }

    /// The list as it was after a change, as the service says it in JSON.
    public func replay(_ list: ListID, through: Int64) async throws(DeviceError) -> [UInt8] {
        let transport = try await transport()
        return try await called { () async throws(TransportError) in
            try await transport.replay(list, through: through)
        }
    }
}
