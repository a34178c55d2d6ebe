import TrolleyJournal
import TrolleyWire

/// How much more a list has room for, by each of the quotas.
struct Room: Hashable, Sendable {
    /// A quota, and what is taken of it.
    private struct Level: Hashable, Sendable {
        let quota: Int64
        var taken: Int64

        init?(_ quota: Int?, taken: Int64?) {
            guard let quota, let taken else { return nil }
            self.quota = Int64(quota)
            self.taken = taken
        }

        /// A full list can still be tidied up: that takes entries too, for which there is as much room again.
        func hasRoom(for count: Int64, _ operation: Operation) -> Bool {
            taken + count <= (operation == .add ? quota : 2 * quota)
        }
    }

    private var entries: Level?
    private var bytes: Level?
    private var bytesOfAccount: Level?

    /// - Parameters:
    ///   - entries: in the list's live journal.
    ///   - bytes: of their fields.
    ///   - bytesOfAccount: of all lists that the list's owner has; nil where that need not be looked at.
    init(_ quotas: Quotas, entries: Int64, bytes: Int64, bytesOfAccount: Int64?) {
        self.entries = Level(quotas.entriesPerList, taken: entries)
        self.bytes = Level(quotas.bytesPerList, taken: bytes)
        self.bytesOfAccount = Level(quotas.bytesPerAccount, taken: bytesOfAccount)
    }

    /// Takes room for one entry.
    /// - Parameter count: bytes of its fields. An entry without any always fits in bytes.
    /// - Returns: what to tell if there is no room.
    mutating func take(_ operation: Operation, bytes count: Int) -> String? {
        if let entries, !entries.hasRoom(for: 1, operation) {
            return "a list may have \(entries.quota) entries; delete items, and wait until they are compressed"
        }
        let count = Int64(count)
        if count > 0, let bytes, !bytes.hasRoom(for: count, operation) {
            return "a list may have \(bytes.quota) bytes; delete items, and wait until they are compressed"
        }
        if count > 0, let bytesOfAccount, !bytesOfAccount.hasRoom(for: count, operation) {
            return "its owner's lists may have \(bytesOfAccount.quota) bytes together; delete a list"
        }
        entries?.taken += 1
        bytes?.taken += count
        bytesOfAccount?.taken += count
        return nil
    }
}
