import TrolleyJournal
import TrolleySync
import TrolleyWire

// A list's history as steps.

extension ShoppingList {
    /// The whole history of a list as steps, oldest first. They come from the service's Activity, which compression
    /// never changes, or, without the service, from this device's entries. Unconfirmed changes have no step yet.
    ///
    /// ```swift
    /// for step in try await list.replay() { print(step) }
    /// ```
    /// - Parameters:
    ///   - offline: whether to answer from this device's own data without asking the service.
    public func replay(offline: Bool = false) async throws(DeviceError) -> ListReplay {
        let journal = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.journal(of: id)
        }
        var names = try await names()
        if !offline, try await isPublished() {
            do throws(DeviceError) {
                let activity = try await wholeActivity(&names)
                // A service may have deleted old Activity. The remaining entries of that time are in the journal.
                let known = Set(activity.map(\.entry.id))
                let rest = journal.confirmed.filter { !known.contains($0.entry.id) }
                return ListReplay(of: id, activity + rest, names: names, isOffline: false)
            } catch {
                guard try await device.answersInstead(after: error) else { throw error }
            }
        }
        return ListReplay(of: id, journal.confirmed, names: names, isOffline: true)
    }

    /// A list's Activity, latest first.
    /// - Parameter names: people's names; this call adds the names that the service knows.
    func wholeActivity(_ names: inout [AccountID: String]) async throws(DeviceError) -> [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        var before: String?
        repeat {
            let page = try await activity(limit: 250, before: before)
            for item in page.activity {
                guard case .entry(let entry) = item.event else { continue }
                entries.append(entry)
                if let name = item.authorName { names[entry.author] = names[entry.author] ?? name }
            }
            before = page.next
        } while before != nil
        return entries
    }
}
