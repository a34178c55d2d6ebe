public import TrolleyJournal
import TrolleySync
import TrolleyWire

// How far the person has read each list. The mark belongs to the account, on all of its devices, and never goes back.

extension Device {
    /// Marks everything as read that this device shows of a list. ``ListSummary/unread`` counts what came later.
    ///
    /// The mark is on this device when the method returns. The service is told at once if it can be reached, and otherwise
    /// with the next sync, which also asks how far the person has read elsewhere.
    /// - Parameters:
    ///   - list: the list.
    ///   - offline: whether to leave telling the service to the next sync.
    /// - Returns: the sequence up to which the account has read.
    @discardableResult
    public func markRead(_ list: ListID, offline: Bool = false) async throws(DeviceError) -> SequenceNumber {
        let mark = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.markRead(list)
        }
        guard !offline, mark.isUntold, let session = try await session() else { return mark.read }
        do throws(TransportError) {
            return try await tell(mark, to: transport(of: session))
        } catch .unreachable {
            return mark.read
        } catch {
            throw .transport(error)
        }
    }

    /// Tells the service which lists were read further here, and asks how far they were read elsewhere if that can change
    /// a count. The next sync repeats what fails.
    /// - Parameter asking: whether to ask.
    /// - Returns: the number of requests.
    func exchangeReadMarks(_ session: AccountSession, asking: Bool) async throws(DeviceError) -> Int {
        let transport = transport(of: session)
        let marks = try await withStoreErrors { () async throws(QueueStoreError) in try await store.readMarks() }
        var requests = 0
        for mark in marks where mark.isUntold {
            requests += 1
            do throws(TransportError) {
                _ = try await tell(mark, to: transport)
            } catch {
                guard case .problem(let problem) = error, problem.code == .listNotFound else { return requests }
            }
        }
        guard asking, marks.contains(where: \.hasUnread) else { return requests }
        requests += 1
        let lists: [ListResponse]
        do throws(TransportError) { lists = try await transport.lists().lists } catch { return requests }
        for list in lists {
            guard let through = list.readThrough else { continue }
            try await withStoreErrors { () async throws(QueueStoreError) in
                try await store.noteRead(list.id, through: through)
            }
        }
        return requests
    }

    private func tell(_ mark: ListReadMark, to transport: HTTPTransport) async throws(TransportError) -> SequenceNumber
    {
        let through = try await transport.markRead(mark.list, through: mark.read)
        do { try await store.noteRead(mark.list, through: through) } catch {
            // The service is told again, which changes nothing.
        }
        return max(through, mark.read)
    }
}
