public import TrolleyJournal

/// Offers everything that a device has of a list to a service that has lost the list: before newer changes, because no
/// other device may have it. The list looks the same. Entries keep their ids, numbers and order, so a service that has
/// some of them accepts only the others.
public struct ListOffer: Hashable, Sendable {
    /// The position of the first entry in the upload queue; the others follow.
    public let position: Int64
    /// The offset of the service's clock from this device's, so that an offered entry doesn't become younger than one
    /// that was made here later.
    private let delay: Int64

    /// - Parameters:
    ///   - count: the number of confirmed entries on the device.
    ///   - latest: the latest `madeAt` of these.
    ///   - first: the smallest position of the device's unconfirmed entries.
    ///   - unsent: when the earliest entry in the upload queue was made that is not offered again, by the wall clock.
    public init(count: Int, latest: Timestamp?, first: Int64?, unsent: Timestamp?, at now: Timestamp) {
        position = min(first ?? 1, 1) - Int64(count)
        let earliest = min(unsent ?? now, now)
        delay = max(0, (latest ?? earliest).milliseconds - earliest.milliseconds)
    }

    /// When an offered entry was made, by this device's wall clock.
    public func wall(of madeAt: Timestamp) -> Timestamp { madeAt.advanced(byMilliseconds: -delay) }
}

extension ShareState {
    /// The names of other people on the list, for a service that can't recognize the receipts of their entries.
    /// - Parameter own: the accounts of the device's person.
    public func names(except own: [AccountID]) -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        for person in participants {
            guard let account = person.account, let name = person.name ?? person.email, !own.contains(account) else {
                continue
            }
            names[account] = name
        }
        return names
    }
}
