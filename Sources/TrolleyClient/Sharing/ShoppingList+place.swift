import TrolleyJournal
import TrolleySync
import TrolleyWire

// Where the person keeps the list among theirs. It is stored here at once; the next sync tells the service, and with it the
// person's other devices. Others on the list keep it elsewhere.

/// On which side of another list a list is put.
public enum ListSide: String, CaseIterable, Hashable, Sendable {
    case before, after
}

extension ShoppingList {
    /// Has the list stand before all that aren't pinned, or no longer.
    ///
    /// ```swift
    /// try await list.setPinned(true)
    /// ```
    public func setPinned(_ isPinned: Bool) async throws(DeviceError) {
        try await place { () async throws(QueueStoreError) in
            try await device.store.changePlace(of: id) { $0.pinned = isPinned }
        }
    }

    /// Puts the list away, or takes it out again. In the archive it stays in step, so others can go on with it.
    ///
    /// ```swift
    /// try await list.setArchived(true)
    /// for kept in try await device.lists() where !kept.place.archived { print(kept.name ?? "") }
    /// ```
    public func setArchived(_ isArchived: Bool) async throws(DeviceError) {
        try await place { () async throws(QueueStoreError) in
            try await device.store.changePlace(of: id) { $0.archived = isArchived }
        }
    }

    /// Moves the list among the person's. Pinned lists stay before the others, and archived ones behind them.
    ///
    /// ```swift
    /// if let last = try await device.lists().last { try await list.move(.after, last.id) }
    /// ```
    /// - Parameters:
    ///   - side: on which side of the other one.
    ///   - other: the list beside which this one is to stand; nil: it comes first.
    public func move(_ side: ListSide = .before, _ other: ListID? = nil) async throws(DeviceError) {
        try await place { () async throws(QueueStoreError) in try await device.store.move(id, side, other) }
    }

    private func place(_ change: () async throws(QueueStoreError) -> Void) async throws(DeviceError) {
        try await device.withStoreErrors(change)
        device.driver.noteOwnChange()
    }
}

extension Device {
    /// Tells the service where lists have been put here.
    /// - Returns: the number of requests.
    func tellPlaces(_ session: AccountSession) async throws(DeviceError) -> Int {
        let (transport, store) = (transport(of: session), store.during(session))
        let untold = try await withStoreErrors { () async throws(QueueStoreError) in try await store.untoldPlaces() }
        var requests = 0
        for place in untold {
            requests += 1
            let answer: ListPlace
            do throws(TransportError) { answer = try await transport.changePlace(place.request, of: place.list) } catch
            {
                // The next sync tells it again. Where the fault is this list's, others can still be told.
                guard case .problem(let problem) = error, problem.code.concernsOneList else { return requests }
                continue
            }
            try await withStoreErrors { () async throws(QueueStoreError) in
                try await store.notePlace(of: place.list, as: answer, after: place)
            }
        }
        return requests
    }
}
