public import TrolleyJournal
public import TrolleyWire

// Rules that all stores share.

/// How long the device keeps its own confirmed entries, to offer them again to a restored service, in milliseconds.
public let reofferWindow: Int64 = 30 * 86_400_000

extension DeviceTime {
    /// The `madeAt` with which the device folds its own entry until the service has dated it. It is later than
    /// everything that the person saw when making the change, whatever the wall clock says.
    /// - Parameter latest: the time of the latest change that the person has seen.
    public func estimate(after latest: Timestamp?) -> Timestamp {
        latest.map { max(wall, $0.advanced(byMilliseconds: 1)) } ?? wall
    }
}

extension Swift.Sequence<ConfirmedEntry> {
    /// The entries of a to-apply queue that may show in shopping mode. Entries that add or move items, or change aisles or shops, wait,
    /// and so do later entries of a waiting item.
    /// - Parameter finished: entries about items that need never be shown, see `FinishedUnseenItems`. They don't wait.
    public func showingWhileShopping(finished: Set<EntryID> = []) -> [EntryID] {
        var held: Set<ItemID> = []
        return compactMap { confirmed in
            let entry = confirmed.entry
            // A message moves no row.
            if finished.contains(entry.id) || entry.operation.concernsMessages { return entry.id }
            if let item = entry.item, entry.operation == .add || held.contains(item) {
                held.insert(item)
                return nil
            }
            return entry.operation == .move || entry.regroups ? nil : entry.id
        }
    }
}

extension ChangesPage {
    /// The digest of the list after the device has stored this page: of all confirmed entries, applied or not, without
    /// the device's own unconfirmed entries. If the device's digest differs, it deletes the list's token and fetches
    /// the list again. nil when the service sent none, or when more pages follow.
    public var expectedDigest: StateDigest? { moreComing ? nil : digest }
}
