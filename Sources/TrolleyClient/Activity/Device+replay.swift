public import TrolleyJournal
import TrolleySync
import TrolleyWire

// Past states of a list, and restoring them.

extension Device {
    /// A list as it was at a moment: as the service tells it, which knows everything; else, without it, as this device does.
    /// - Parameters:
    ///   - list: the list.
    ///   - point: the moment.
    ///   - offline: whether to answer from this device's own data without asking the service.
    public func replay(
        _ list: ListID, to point: ReplayPoint, offline: Bool = false
    ) async throws(DeviceError) -> ReplayedList {
        if !offline, try await isPublished(list) {
            do throws(DeviceError) {
                let transport = try await transport()
                let json = try await withTransportErrors { () async throws(TransportError) in
                    try await transport.replay(list, to: point)
                }
                return try ReplayedList(json: json, of: list)
            } catch {
                guard error.isUnreachable else { throw error }
            }
        }
        return try await knownReplay(of: list, to: point)
    }

    /// Plans to restore a list to a past state. Changes nothing.
    /// - Returns: the past state, and the drafts that lead to it from the list's present state on this device; no drafts if
    ///   both are equal.
    public func restoration(
        of list: ListID, to point: ReplayPoint, offline: Bool = false
    ) async throws(DeviceError) -> (replayed: ReplayedList, restoration: Restoration) {
        let replayed = try await replay(list, to: point, offline: offline)
        let restoration = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.read { try $0.folded($0.list(list)).fold.restoration(to: replayed.state) }
        }
        return (replayed, restoration)
    }

    /// Restores a list as planned, as one gesture. Sync before planning, so that the plan includes others' changes.
    /// - Returns: the new entries.
    @discardableResult
    public func perform(_ restoration: Restoration, on list: ListID) async throws(DeviceError) -> [JournalEntry] {
        if try await isReadOnly(list) { throw .readOnly }
        guard !restoration.drafts.isEmpty else { return [] }
        let batch = identifier(BatchID.self)
        let entries = restoration.drafts.map { $0.entry(id: identifier(), batch: batch, deviceSequence: 1) }
        let made = clock()
        let numbered = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.append(entries, to: list, made: made)
        }
        try await noteQueued()
        return numbered
    }

    private func knownReplay(of list: ListID, to point: ReplayPoint) async throws(DeviceError) -> ReplayedList {
        let journal = try await withStoreErrors { () async throws(QueueStoreError) in try await store.journal(of: list)
        }
        var timeline = Timeline(journal.confirmed)
        let through =
            switch point {
            case .change(let number): SequenceNumber(rawValue: number)
            case .time(let time): timeline.sequence(at: time)
            }
        var state = timeline.state(through: through)
        // A list that was never on the service has only this device's own entries.
        if journal.confirmed.isEmpty {
            let made = journal.pending.filter { entry in
                switch point {
                case .change(let number): entry.entry.deviceSequence <= number
                case .time(let time): entry.madeAt <= time
                }
            }
            state = ListState(folding: [], pending: made)
        }
        return ReplayedList(
            list: list, state: state, through: min(through, timeline.entries.last?.sequence ?? .start), isWaiting: nil,
            isOffline: true)
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
            case "items":
                try reader.beginArray()
                while try reader.nextElement() { state.items.append(try Item(from: &reader)) }
            case "sequence": through = SequenceNumber(rawValue: try reader.integer())
            case "status": isWaiting = try reader.string() == "waiting"
            case "retainedFrom": retainedFrom = try reader.timestamp()
            default: try reader.skip()
            }
        }
    }
}
