public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// The people on a list, and their presence.

extension ShoppingList {
    /// The people on a list: from the service or, without it, as the device last knew them.
    ///
    /// ```swift
    /// print(try await list.participants().participants.compactMap(\.name))
    /// ```
    public func participants() async throws(DeviceError) -> ShareState {
        try await people().share
    }

    /// The people on a list, who has it open now, and how far each has read. Without the service
    /// (``DeviceError/isWithoutService``): only the people, as the device last knew them.
    ///
    /// ```swift
    /// print(try await list.people().share.participants.count)
    /// ```
    public func people() async throws(DeviceError) -> ShareResponse {
        let known = try await read { try $0.knownShare(of: $1) }
        do throws(DeviceError) {
            return try await device.call(hasFallback: known != nil) { (transport) async throws(TransportError) in
                try await transport.share(of: id)
            }
        } catch {
            guard try await device.answersInstead(after: error), let known else { throw error }
            return ShareResponse(share: known)
        }
    }

    /// Tells the service that the person has a list open on this device. This lasts for about a minute, so repeat it
    /// while the list is open, for instance on each of ``Device/triggers(every:)``, which also come when other people's
    /// presence changes.
    ///
    /// ```swift
    /// let here = try await list.announcePresence()
    /// print(here.compactMap(\.name))
    /// ```
    /// - Returns: the other people who have the list open.
    public func announcePresence() async throws(DeviceError) -> [Participant] {
        let presence = try await setPresence(true)
        guard let session = try await device.session() else { throw .notSignedIn }
        let share = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.share(of: id)
        }
        return presence.compactMap { person in
            if person.account == session.account { return nil }
            return share?.participants.first { $0.account == person.account }
                ?? Participant(account: person.account, status: .accepted)
        }
    }

    /// Tells the service that the list is closed on this device. First it moves the read mark to what the device shows,
    /// because the person has seen it until now; see ``markRead(offline:)``. The others see within a second that the
    /// person has left.
    ///
    /// ```swift
    /// try await list.endPresence()
    /// ```
    public func endPresence() async throws(DeviceError) {
        do {
            try await markRead()
        } catch .transport {
            // The mark is stored on this device, and goes with the next sync.
        }
        _ = try await setPresence(false)
    }

    /// The other people on the list: who has it open, and how far its changes have come to each of them. A device confirms
    /// what it has stored with its next fetch, and what its person has seen with the read mark.
    ///
    /// ```swift
    /// for person in try await list.delivery().people where person.isPresent { print(person.participant.name ?? "") }
    /// ```
    public func delivery() async throws(DeviceError) -> Delivery {
        guard let session = try await device.session() else { throw .notSignedIn }
        let transport = try await device.transport(hasFallback: true)
        let response = try await device.withTransportErrors { () async throws(TransportError) in
            try await transport.share(of: id)
        }
        return Delivery(response, without: session.account)
    }

    private func setPresence(_ isPresent: Bool) async throws(DeviceError) -> [Presence] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.setPresence(isPresent, on: id)
        }
    }
}

extension StoreTransaction {
    /// The people on a list as the device last knew them. A list of one's own that was never shared has its owner.
    func knownShare(of list: ListRow) throws -> ShareState? {
        if let share = try share(of: list) { return share }
        guard let session = try session(), try isOwn(list) else { return nil }
        let owner = Participant(
            account: session.account, email: session.email, name: session.name, role: .owner, status: .accepted)
        return ShareState(participants: [owner])
    }
}
