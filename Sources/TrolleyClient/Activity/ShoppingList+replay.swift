public import TrolleyJournal
import TrolleySync
import TrolleyWire

// Past states of a list, and restoring them.

extension ShoppingList {
    /// A past state of a list: from the service or, without it (``DeviceError/isWithoutService``), from this device's data,
    /// which lacks compressed entries.
    ///
    /// ```swift
    /// let yesterday = Timestamp.now().advanced(byMilliseconds: -86_400_000)
    /// let past = try await list.replay(to: .time(yesterday))
    /// print(past.state.items.map(\.text))
    /// ```
    /// - Parameters:
    ///   - point: the moment.
    ///   - offline: whether to answer from this device's own data without asking the service.
    /// - Throws: `.noSuchChange` for a number beyond the list's last change.
    public func replay(to point: ReplayPoint, offline: Bool = false) async throws(DeviceError) -> ReplayedList {
        let replayed = try await replay(upTo: point, offline: offline)
        let last = replayed.last ?? replayed.through.rawValue
        if case .change(let number) = point, number > last { throw .noSuchChange(number, last: last) }
        return replayed
    }

    /// The same, where a change after the last one means the last.
    func replay(upTo point: ReplayPoint, offline: Bool = false) async throws(DeviceError) -> ReplayedList {
        if !offline, try await isPublished() {
            do throws(DeviceError) {
                let transport = try await device.transport(hasFallback: true)
                let json = try await device.withTransportErrors { () async throws(TransportError) in
                    try await transport.replay(id, to: point)
                }
                return try ReplayedList(json: json, of: id)
            } catch {
                guard try await device.answersInstead(after: error) else { throw error }
            }
        }
        return try await knownReplay(to: point)
    }

    /// Plans to restore a list to a past state. Changes nothing. Items that this device had added by then stay, even if
    /// the service doesn't have them yet. Without the service, items stay that may have been there, as far as this device knows.
    ///
    /// ```swift
    /// let (_, plan) = try await list.restoration(to: .change(40))
    /// try await list.perform(plan)
    /// ```
    /// - Returns: the past state, and the changes that lead to it from the list's present state on this device; no
    ///   drafts if both are equal.
    /// - Throws: `.noStateThen` for a moment before the list's first known change.
    public func restoration(to point: ReplayPoint, offline: Bool = false) async throws(DeviceError) -> (
        replayed: ReplayedList, restoration: Restoration
    ) {
        let known = try await replay(to: point, offline: offline)
        if known.through == .start, known.state == ListState() { throw .noStateThen(isOffline: known.isOffline) }
        let staying =
            known.isOffline
            ? try await itemsBroughtBack(until: point, after: known.through)
            : try await itemsAdded(until: point, after: known.through)
        let restoration = try await device.read { transaction -> Restoration in
            let fold = try transaction.folded(try transaction.list(id)).fold
            var state = known.state
            let there = Set(state.items.map { $0.id })
            state.items += fold.state.items.filter { staying.contains($0.id) && !there.contains($0.id) }
            return fold.restoration(to: state)
        }
        var replayed = known
        replayed.state = restoration.preview
        return (replayed, restoration)
    }

    /// The items that this device had added by a moment and that the service doesn't have.
    private func itemsAdded(
        until point: ReplayPoint, after through: SequenceNumber
    ) async throws(DeviceError) -> Set<ItemID> {
        let added = try await pendingChanges().filter { change in
            switch point {
            case .change(let number): change.entry.operation == .add && number > through.rawValue
            case .time(let time): change.entry.operation == .add && change.madeAt <= time
            }
        }
        return Set(added.compactMap(\.entry.item))
    }

    /// The items that may have been on the list at a moment although this device's entries of then don't have them: the service
    /// had discarded their entries and has brought them back under later numbers, with the times at which they were made.
    private func itemsBroughtBack(
        until point: ReplayPoint, after through: SequenceNumber
    ) async throws(DeviceError) -> Set<ItemID> {
        let confirmed = try await read { try $0.journal(of: $1).confirmed }
        let moment =
            switch point {
            case .change: confirmed.last { $0.sequence <= through }?.receivedAt
            case .time(let time): time
            }
        guard let moment else { return [] }
        return Set(confirmed.filter { $0.sequence > through && $0.madeAt <= moment }.compactMap(\.entry.item))
    }

    /// Restores a list as planned, as one gesture. Sync before planning, so that the plan includes others' changes.
    ///
    /// ```swift
    /// let (past, plan) = try await list.restoration(to: .change(40))
    /// if past.isWaiting != true { try await list.perform(plan) }
    /// ```
    /// - Returns: the new entries.
    @discardableResult
    public func perform(_ restoration: Restoration) async throws(DeviceError) -> [JournalEntry] {
        let batch = device.identifier(BatchID.self)
        let entries = restoration.drafts.map { $0.entry(id: device.identifier(), batch: batch, deviceSequence: 1) }
        let made = device.clock()
        return try await device.gesture { transaction in
            let row = try transaction.list(id)
            if try transaction.isReadOnly(row) { throw DeviceError.readOnly }
            return entries.isEmpty ? [] : try transaction.append(entries, to: row, made: made)
        }
    }

    private func knownReplay(to point: ReplayPoint) async throws(DeviceError) -> ReplayedList {
        let (journal, isLocal) = try await read { transaction, row in
            return (try transaction.journal(of: row), row.local)
        }
        var timeline = Timeline(journal.confirmed)
        let last = timeline.entries.last?.sequence ?? .start
        let through =
            switch point {
            case .change(let number): SequenceNumber(rawValue: number)
            case .time(let time): timeline.sequence(at: time)
            }
        let pending = journal.pending.enumerated().filter { index, entry in
            switch point {
            // Unconfirmed entries follow the last number. Their devices' own numbers may repeat on a copy of a list.
            case .change(let number): last.rawValue + Int64(index) < number
            case .time(let time): entry.madeAt <= time
            }
        }
        .map { $0.element }
        var replayed = ReplayedList(
            list: id, state: timeline.state(through: through, pending: pending),
            through: min(through, last), isWaiting: nil, unsent: isLocal ? 0 : pending.count, isOffline: true)
        let known = timeline.entries.count { $0.sequence <= replayed.through }
        replayed.lacksEntries = known < Int(clamping: replayed.through.rawValue)
        replayed.last = last.rawValue + Int64(journal.pending.count)
        return replayed
    }
}

extension ReplayedList {
    fileprivate init(json: [UInt8], of list: ListID) throws(DeviceError) {
        do {
            self = try JSONReader.read(json) { reader throws(WireError) in try ReplayedList(from: &reader, of: list) }
        } catch {
            throw .transport(.notUnderstood("\(error)"))
        }
    }

    private init(from reader: inout JSONReader, of list: ListID) throws(WireError) {
        self.init(list: list, state: ListState(), through: .start, isWaiting: nil, isOffline: false)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "name": state.name = try reader.null() ? nil : try reader.string()
            case "colour": state.colour = try reader.null() ? nil : try reader.string()
            case "aisles":
                try reader.beginArray()
                while try reader.nextElement() { state.aisles.append(try reader.string()) }
            case "shops":
                try reader.beginArray()
                while try reader.nextElement() { state.shops.append(try Shop(from: &reader)) }
            case "items":
                try reader.beginArray()
                while try reader.nextElement() { state.items.append(try Item(from: &reader)) }
            case "sequence": through = SequenceNumber(rawValue: try reader.integer())
            case "status": isWaiting = try reader.string() == "waiting"
            case "waitingFor":
                try reader.beginArray()
                while try reader.nextElement() { waitingFor.append(try WaitingDevice(from: &reader)) }
            case "retainedFrom": retainedFrom = try reader.timestamp()
            default: try reader.skip()
            }
        }
    }
}
