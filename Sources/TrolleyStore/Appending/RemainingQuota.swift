import TrolleyJournal
import TrolleyWire

/// The remaining space of a list under each quota.
struct RemainingQuota: Hashable, Sendable {
    /// A quota and its present use.
    private struct Level: Hashable, Sendable {
        let quota: Int64
        var used: Int64

        init?(_ quota: Int?, used: Int64?) {
            guard let quota, let used else { return nil }
            self.quota = Int64(quota)
            self.used = used
        }

        /// All operations except `add` and `message` may use twice the quota, so that a full list can still be tidied up.
        func allows(for count: Int64, _ operation: Operation) -> Bool {
            used + count <= (operation == .add || operation == .message ? quota : 2 * quota)
        }
    }

    private var entries: Level?
    private var bytes: Level?
    private var bytesOfAccount: Level?

    /// - Parameters:
    ///   - entries: the number of the list's live entries.
    ///   - bytes: the bytes of their fields.
    ///   - bytesOfAccount: the bytes of all lists of the owner; nil where they need no check.
    init(_ quotas: Quotas, entries: Int64, bytes: Int64, bytesOfAccount: Int64?) {
        self.entries = Level(quotas.entriesPerList, used: entries)
        self.bytes = Level(quotas.bytesPerList, used: bytes)
        self.bytesOfAccount = Level(quotas.bytesPerAccount, used: bytesOfAccount)
    }

    /// Takes space for one entry.
    /// - Parameter count: bytes of its fields. An entry without fields never exceeds the bytes.
    /// - Returns: the message to the device if there is no space.
    mutating func take(_ operation: Operation, bytes count: Int) -> String? {
        if let entries, !entries.allows(for: 1, operation) {
            return "a list may have \(entries.quota) entries; delete items, and wait until they are compressed"
        }
        let count = Int64(count)
        if count > 0, let bytes, !bytes.allows(for: count, operation) {
            return "a list may have \(bytes.quota) bytes; delete items, and wait until they are compressed"
        }
        if count > 0, let bytesOfAccount, !bytesOfAccount.allows(for: count, operation) {
            return "its owner's lists may have \(bytesOfAccount.quota) bytes together; delete a list"
        }
        entries?.used += 1
        bytes?.used += count
        bytesOfAccount?.used += count
        return nil
    }
}
