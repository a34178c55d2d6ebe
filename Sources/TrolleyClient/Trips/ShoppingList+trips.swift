public import TrolleyJournal
import TrolleySync

// Trips, which are inferred from the journal. Nothing here needs the network, except whether a trip is complete.

extension ShoppingList {
    /// A list's shopping trips, newest first: parts of the journal in which people marked off at least three items without a
    /// pause of 45 minutes (`Trip`). They include the marks that wait to be sent.
    ///
    /// The device keeps purchases when the service compresses their entries. A device that came to the list later knows
    /// only the trips whose entries were there then.
    ///
    /// ```swift
    /// for trip in try await list.trips() { print(trip.end, trip.picks.count) }
    /// ```
    /// - Returns: the trips; one that is still going on comes first, see `Trip.isOver(at:)`. Times are in milliseconds.
    ///   ``names()`` has the people's names.
    /// - Throws: `.store`, for instance when the device doesn't have the list.
    public func trips() async throws(DeviceError) -> [Trip] {
        try await read { try $0.trips(of: $1).reversed() }
    }

    /// Asks the service whether all marks of a trip have arrived.
    ///
    /// ```swift
    /// if let trip = try await list.trips().first { print(try await list.replay(trip).waitingFor?.count ?? 0) }
    /// ```
    /// - Parameters:
    ///   - trip: one of ``trips()``.
    ///   - offline: whether to leave the service alone.
    /// - Returns: the trip; `waitingFor` is nil if the service wasn't asked or can't be reached.
    /// - Throws: `.transport`, when the service refuses; `.store`.
    public func replay(_ trip: Trip, offline: Bool = false) async throws(DeviceError) -> TripReplay {
        // A list that is on no service has no other device.
        guard try await isPublished() else { return TripReplay(trip: trip, waitingFor: []) }
        let replayed = try await replay(upTo: .change(.max), offline: offline)
        guard !replayed.isOffline else { return TripReplay(trip: trip, waitingFor: nil) }
        let own = try await device.session()?.device
        let missing = replayed.waitingFor.filter { $0.device != own && $0.mayHoldBack(until: trip.end) }
        return TripReplay(trip: trip, waitingFor: missing)
    }

    /// Puts what was picked on a trip on the list again, as one gesture that ``undo(anyway:)`` reverts. It doubles nothing: an
    /// item that is wanted stays as it is, in whatever quantity; a marked-off one comes back, with the trip's quantity;
    /// others are added, in the aisle that an item of their name had last. An item that was picked in the last five minutes
    /// stays marked off and is added anew, because removing its mark would say that it was not bought.
    ///
    /// ```swift
    /// if let trip = try await list.trips().first { try await list.repeatTrip(trip) }
    /// ```
    /// - Returns: the result for each item, in the order of the trip.
    /// - Throws: `.readOnly`; `.store`.
    @discardableResult
    public func repeatTrip(_ trip: Trip) async throws(DeviceError) -> [AddedItem] {
        let now = device.clock().wall
        return try await add(named: trip.picks.map(\.text), findingAisle: { _ in true }) {
            $0.additions(repeating: trip.picks, at: now)
        }
    }

    /// The list as it was after a pick of a trip: folded from all entries that were made until then, also if they arrived
    /// later. Compression takes old entries from the device, so the service's Activity is asked.
    ///
    /// ```swift
    /// if let pick = try await list.trips().first?.picks.last { print(try await list.replay(after: pick).state.items.count) }
    /// ```
    /// - Parameters:
    ///   - pick: one of the `picks` of ``trips()``.
    ///   - offline: whether to answer from this device's data without asking the service.
    /// - Returns: the state; `isOffline`: from this device alone, so compressed entries are missing.
    /// - Throws: `.transport`, when the service refuses; `.store`.
    public func replay(after pick: Purchase, offline: Bool = false) async throws(DeviceError) -> ReplayedList {
        let history = try await replay(offline: offline)
        let (stored, unconfirmed, isLocal) = try await read { transaction, row in
            // Those that wait to be applied count, too.
            var stored: [ConfirmedEntry] = []
            try transaction.forEachConfirmed(of: row) { stored.append($0) }
            return (stored, try transaction.pendingEntries(of: row), row.local)
        }
        var known = Set(history.timeline.entries.map(\.entry.id))
        let all = history.timeline.entries + stored.filter { known.insert($0.entry.id).inserted }
        let entries = all.filter { pick.comes(after: $0.entry, madeAt: $0.madeAt) }.inStreamOrder()
        // A change may have been confirmed since it was sent.
        let pending = unconfirmed.filter {
            !known.contains($0.entry.id) && pick.comes(after: $0.entry, madeAt: $0.madeAt)
        }
        return ReplayedList(
            list: id, state: ListFold(folding: entries, pending: pending).state,
            through: entries.last?.sequence ?? .start, isWaiting: nil, unsent: isLocal ? 0 : pending.count,
            isOffline: history.isOffline && !isLocal)
    }

    /// The names of the people on a list, and of this device's person, as far as the device knows them.
    ///
    /// ```swift
    /// let names = try await list.names()
    /// print(names[bob] ?? "somebody")
    /// ```
    /// - Throws: `.store`.
    public func names() async throws(DeviceError) -> [AccountID: String] {
        try await read { try $0.knownNames(of: $1) }
    }
}
