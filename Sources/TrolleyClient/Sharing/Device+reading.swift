import Synchronization
public import TrolleyJournal
import TrolleySync
import TrolleyWire

// Read marks: how far the person has read each list. A mark belongs to the account, is the same on all of its devices,
// and never moves back.

extension Device {
    /// Sends the read marks and the places that have changed here. Fetches those of other devices: the marks if they can
    /// change a count, the places when a program begins, is connected again, is told to, or after a hint. The next sync repeats a
    /// request that fails.
    /// - Returns: the number of requests.
    func exchangeMarksAndPlaces(_ session: AccountSession, _ trigger: Trigger) async throws(DeviceError) -> Int {
        let (transport, store) = (transport(of: session), store.during(session))
        let told = try await tellPlaces(session)
        let marks = try await withStoreErrors { () async throws(QueueStoreError) in try await store.readMarks() }
        var requests = told
        for mark in marks where mark.isUntold {
            requests += 1
            do throws(TransportError) {
                _ = try await tell(mark, as: session)
            } catch {
                // A list that was restored from an older copy doesn't have the change yet. The mark of another list may
                // still be sent.
                guard case .problem(let problem) = error, problem.code.concernsOneList else { return requests }
            }
        }
        let asks: Bool =
            switch trigger {
            // After the device's own change, nobody looks at the counts.
            case .ownChange: false
            case .launch, .network, .manual: !marks.isEmpty
            case .push, .timer:
                marks.contains(where: \.hasUnread) || placesHaveChanged.load(ordering: .relaxed)
            }
        guard asks else { return requests }
        requests += 1
        let hinted = placesHaveChanged.exchange(false, ordering: .relaxed)
        let lists: [ListResponse]
        do throws(TransportError) { lists = try await transport.lists().lists } catch {
            if hinted { placesHaveChanged.store(true, ordering: .relaxed) }
            return requests
        }
        for list in lists {
            try await withStoreErrors { () async throws(QueueStoreError) in
                if let through = list.readThrough { try await store.noteRead(list.id, through: through) }
                if let place = list.place { try await store.notePlace(of: list.id, as: place) }
            }
        }
        return requests
    }

    func tell(_ mark: ListReadMark, as session: AccountSession) async throws(TransportError) -> SequenceNumber {
        let through = try await transport(of: session).markRead(mark.list, through: mark.read)
        do { try await store.during(session).noteRead(mark.list, through: through) } catch {
            // The next sync sends the mark again, which changes nothing.
        }
        return max(through, mark.read)
    }
}

extension ShoppingList {
    /// Moves a list's read mark to what this device shows. ``ListSummary/unread`` counts later changes.
    ///
    /// The mark is stored on this device when the method returns. The service receives it at once if it can be reached and
    /// takes it, and otherwise with the next sync. The next sync also fetches how far the person has read on other devices.
    ///
    /// ```swift
    /// try await list.markRead(offline: true)
    /// ```
    /// - Parameters:
    ///   - offline: whether to leave the mark to the next sync.
    /// - Returns: the sequence up to which the account has read.
    /// - Throws: ``DeviceError/store(_:)``, only if nothing was stored.
    @discardableResult
    public func markRead(offline: Bool = false) async throws(DeviceError) -> SequenceNumber {
        try await markRead(through: nil, offline: offline)
    }

    /// - Parameter last: the last sequence to mark; nil: everything that this device shows.
    func markRead(through last: SequenceNumber?, offline: Bool) async throws(DeviceError) -> SequenceNumber {
        let mark = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.markRead(id, through: last)
        }
        guard !offline, mark.isUntold, let session = try await device.session() else { return mark.read }
        // The mark has moved: it is stored. Whatever the service answers, the next sync tells it again.
        do throws(TransportError) { return try await device.tell(mark, as: session) } catch { return mark.read }
    }
}

extension ProblemCode {
    /// Whether the service refused a read mark or a place because of its list, and not because of the session or the service.
    var concernsOneList: Bool { self == .listNotFound || self == .listDeleted || self == .invalidArguments }
}
