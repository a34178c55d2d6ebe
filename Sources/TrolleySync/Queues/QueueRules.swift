public import TrolleyJournal
public import TrolleyWire

// What every store decides alike.

/// How long confirmed entries of one's own are kept, to be offered again to a service that was restored, in milliseconds.
public let offeredAgainFor: Int64 = 30 * 86_400_000

extension DeviceTime {
    /// The `madeAt` that an own entry is folded with until the service has reckoned. A person changes what they see, so
    /// it is later than that, whatever the wall clock says.
    /// - Parameter latest: when the latest change was made that the person has seen.
    public func estimate(after latest: Timestamp?) -> Timestamp {
        latest.map { max(wall, $0.advanced(byMilliseconds: 1)) } ?? wall
    }
}

extension Swift.Sequence<ConfirmedEntry> {
    /// Which entries of a to-apply queue may show while the person shops. Nothing may jump then: what adds or moves
    /// waits, and with an item all that came after for it.
    /// - Parameter finished: entries about items that need never be shown, see `FinishedArrivals`. They don't wait.
    public func showingWhileShopping(finished: Set<EntryID> = []) -> [EntryID] {
        var held: Set<ItemID> = []
        return compactMap { confirmed in
            let entry = confirmed.entry
            if finished.contains(entry.id) { return entry.id }
            if let item = entry.item, entry.operation == .add || held.contains(item) {
                held.insert(item)
                return nil
            }
            return entry.operation == .move ? nil : entry.id
        }
    }
}

extension ChangesPage {
    /// The digest that the list must have once a device has taken this page in: over all that it has of the list, applied or
    /// not, without its own unconfirmed entries. A list with another one is to be fetched afresh: its token is forgotten.
    /// Nil where the service didn't say, or more is coming.
    public var expectedDigest: StateDigest? { moreComing ? nil : digest }
}
