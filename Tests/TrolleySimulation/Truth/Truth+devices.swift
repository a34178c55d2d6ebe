import TrolleyJournal
import TrolleySync
import TrolleyWire

// What must hold of a device's store.

extension Truth {
    /// I4: after a fetch, the device has exactly what the service had when it answered.
    mutating func check(_ device: SimulatedDevice, has expected: [ConfirmedEntry], of list: ListID) {
        guard let stored = device.store.lists[list] else { return }
        let found = stored.stream
        guard found.count == expected.count else {
            return report(
                "I4", "device \(device.number) has \(found.count) entries after a fetch, the service \(expected.count)")
        }
        for (found, expected) in zip(found, expected) where !found.isSame(as: expected) {
            return report(
                "I4",
                "device \(device.number) has \(made[expected.entry.id]?.name ?? "an entry") otherwise than the service")
        }
    }

    /// I8: what was made on the device is there: in a queue, among what was received, or rejected in sight.
    mutating func checkOwn(of device: SimulatedDevice, in database: Database, at time: Int64) {
        let rejected = Set(device.store.rejected.lazy.map(\.entry.id))
        let pending = device.store.lists.mapValues { Set($0.pending.lazy.map(\.entry.id)) }
        for id in order {
            guard let made = made[id], made.device == device.number, !rejected.contains(id),
                let list = device.store.lists[made.list], list.entries[id] == nil,
                pending[made.list]?.contains(id) != true
            else { continue }
            // The list left the device in between, and took the entry with it.
            if device.arrivals[made.list] != made.arrival, committed.contains(id) { continue }
            if restores > 0, !device.hasSteadyClock || time - made.at > 29 * 86_400_000 { continue }
            guard let stored = database.lists[made.list], stored.taken[id] != nil else {
                // A restored service has lost it; the device finds out with its next fetch.
                if restores > 0, list.isBehind(database.epoch) { continue }
                report("I8", "\(made.name) has vanished from its device")
                continue
            }
            let isLive = stored.live[id] != nil
            let isBeyond = isLive && stored.taken[id].map { stored.activity[$0].sequence > list.through } ?? false
            if isBeyond, restores == 0 { report("I8", "\(made.name) isn't shown on its device until a fetch") }
        }
    }

    /// Every rejection has a reason.
    mutating func checkRejected(on device: SimulatedDevice, from first: Int) {
        for rejected in device.store.rejected.dropFirst(first) {
            refused.insert(rejected.entry.id)
            guard let made = made[rejected.entry.id] else {
                report("I2", "an entry that nobody made was rejected")
                continue
            }
            let isExplained =
                switch rejected.code {
                case .permissionFailure: restricted[made.list]?.contains(device.account) == true
                case .listDeleted, .listNotFound: removed[made.list]?.contains(device.account) == true
                // Another device has brought it back first, with the anchor that compression gave it. It arrives with a fetch.
                case .serverRecordChanged: restores > 0
                default: made.isInvalid
                }
            if !isExplained { report("I8", "\(made.name) was rejected (\(rejected.code.rawValue)) without a reason") }
        }
    }
}

extension DeviceStore.List {
    /// Whether the device has not yet finished a snapshot of this epoch.
    func isBehind(_ epoch: Int) -> Bool {
        isStaging || token.flatMap { PageToken($0) }?.epoch != epoch || !isPublished
    }
}

extension ConfirmedEntry {
    /// Without the receipt, which the service's own copy lacks.
    func isSame(as other: ConfirmedEntry) -> Bool {
        entry == other.entry && sequence == other.sequence && author == other.author && device == other.device
            && madeAt == other.madeAt && receivedAt == other.receivedAt
    }
}
