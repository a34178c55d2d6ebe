public import TrolleyJournal
import TrolleySync
import TrolleyWire

// A list's history as steps.

extension Device {
    /// The whole history of a list as steps, oldest first. They come from the service's Activity, which compression
    /// never changes, or, without the service, from this device's entries. Unconfirmed changes have no step yet.
    /// - Parameters:
    ///   - list: the list.
    ///   - offline: whether to answer from this device's own data without asking the service.
    public func replay(_ list: ListID, offline: Bool = false) async throws(DeviceError) -> ListReplay {
        let journal = try await withStoreErrors { () async throws(QueueStoreError) in try await store.journal(of: list)
        }
        var names = try await names(of: list)
        if !offline, try await isPublished(list) {
            do throws(DeviceError) {
                let activity = try await wholeActivity(of: list, &names)
                // A service may have deleted old Activity. The remaining entries of that time are in the journal.
                let known = Set(activity.map(\.entry.id))
                let rest = journal.confirmed.filter { !known.contains($0.entry.id) }
                return ListReplay(of: list, activity + rest, names: names, isOffline: false)
            } catch {
                guard try await answersInstead(after: error) else { throw error }
            }
        }
        return ListReplay(of: list, journal.confirmed, names: names, isOffline: true)
    }

    /// A list's Activity, latest first.
    /// - Parameter names: people's names; this call adds the names that the service knows.
    func wholeActivity(
        of list: ListID, _ names: inout [AccountID: String]
    ) async throws(DeviceError) -> [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        var before: String?
        repeat {
            let page = try await activity(of: list, limit: 250, before: before)
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
