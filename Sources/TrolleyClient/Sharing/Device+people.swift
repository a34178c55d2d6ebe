public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// The people on a list, and their presence.

extension Device {
    /// The people on a list: from the service or, without it, as the device last knew them.
    public func participants(of list: ListID) async throws(DeviceError) -> ShareState {
        try await people(of: list).share
    }

    /// The people on a list, who has it open now, and how far each has read. Without the service
    /// (``DeviceError/isWithoutService``): only the people, as the device last knew them.
    public func people(of list: ListID) async throws(DeviceError) -> ShareResponse {
        let known = try await knownShare(of: list)
        do throws(DeviceError) {
            let transport = try await transport(hasFallback: known != nil)
            return try await withTransportErrors { () async throws(TransportError) in
                try await transport.share(of: list)
            }
        } catch {
            guard try await answersInstead(after: error), let known else { throw error }
            return ShareResponse(share: known)
        }
    }

    /// The people on a list as the device last knew them. A list of one's own that was never shared has its owner.
    private func knownShare(of list: ListID) async throws(DeviceError) -> ShareState? {
        let session = try await session()
        return try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.read { transaction -> ShareState? in
                let row = try transaction.list(list)
                if let share = try transaction.share(of: row) { return share }
                guard let session, try transaction.isOwn(row) else { return nil }
                let owner = Participant(
                    account: session.account, email: session.email, name: session.name, role: .owner, status: .accepted)
                return ShareState(participants: [owner])
            }
        }
    }

    /// Tells the service that the person has a list open on this device. This lasts for about a minute, so repeat it
    /// while the list is open, for instance on each of ``triggers(every:)``, which also come when other people's
    /// presence changes.
    /// - Returns: the other people who have the list open.
    public func announcePresence(on list: ListID) async throws(DeviceError) -> [Participant] {
        let presence = try await setPresence(true, on: list)
        guard let session = try await session() else { throw .notSignedIn }
        let share = try await withStoreErrors { () async throws(QueueStoreError) in try await store.share(of: list) }
        return presence.compactMap { person in
            if person.account == session.account { return nil }
            return share?.participants.first { $0.account == person.account }
                ?? Participant(account: person.account, status: .accepted)
        }
    }

    /// Tells the service that the list is closed on this device. First it moves the read mark to what the device shows,
    /// because the person has seen it until now; see ``markRead(_:offline:)``. The others see within a second that the
    /// person has left.
    public func endPresence(on list: ListID) async throws(DeviceError) {
        do {
            try await markRead(list)
        } catch .transport {
            // The mark is stored on this device, and goes with the next sync.
        }
        _ = try await setPresence(false, on: list)
    }

    /// The other people on the list: who has it open, and how far its changes have come to each of them. A device confirms
    /// what it has stored with its next fetch, and what its person has seen with the read mark.
    public func delivery(of list: ListID) async throws(DeviceError) -> Delivery {
        guard let session = try await session() else { throw .notSignedIn }
        let transport = try await transport(hasFallback: true)
        let response = try await withTransportErrors { () async throws(TransportError) in
            try await transport.share(of: list)
        }
        return Delivery(response, without: session.account)
    }

    private func setPresence(_ isPresent: Bool, on list: ListID) async throws(DeviceError) -> [Presence] {
        let transport = try await transport()
        return try await withTransportErrors { () async throws(TransportError) in
            try await transport.setPresence(isPresent, on: list)
        }
    }
}
