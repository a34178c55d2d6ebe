import TrolleyJournal
import TrolleySync
import TrolleyWire

// What must hold when the network has healed and everybody has fetched.

extension Truth {
    mutating func checkEnd(_ devices: [SimulatedDevice], _ database: Database, at time: Int64) {
        for id in members.keys.sorted() {
            guard let list = database.lists[id] else {
                report("I1", "a list is gone from the service")
                continue
            }
            let state = ListState(folding: list.inOrder)
            if ListState(folding: list.activity).digest != state.digest {
                report("compression", "the live entries fold to another list than the Activity")
            }
            for device in devices { check(device, list, state) }
            checkActivity(list, devices)
        }
        for device in devices { checkOwn(of: device, in: database, at: time) }
        checkNothingLost(devices, database, at: time)
    }

    /// I5.
    private mutating func check(_ device: SimulatedDevice, _ list: StoredList, _ state: ListState) {
        guard let permission = members[list.id]?[device.account] else {
            if let kept = device.store.lists[list.id], !kept.isLocal {
                report("I7", "device \(device.number) still has a list that its person is not on")
            }
            return
        }
        guard let stored = device.store.lists[list.id] else {
            return report("I5", "device \(device.number) lacks a list that its person is on")
        }
        check(device, has: list.inOrder, of: list.id)
        for rejected in device.store.rejected where rejected.list == list.id {
            guard let live = list.live[rejected.entry.id], rejected.hasArrived(as: live.entry) else { continue }
            report("I8", "\(made[rejected.entry.id]?.name ?? "an entry") is on the list and shown as rejected")
        }
        if ListState(folding: stored.stream).digest != state.digest {
            report("I5", "device \(device.number) shows another list than the service")
        }
        if stored.share != list.share { report("I5", "device \(device.number) knows other people of the list") }
        if !stored.isShopping, !stored.toApply.isEmpty {
            report("I5", "device \(device.number) has changes that it never applied")
        }
        if list.members[device.account] != permission { report("I7", "the service has another permission") }
    }

    /// I2, I9, and a device's own order.
    private mutating func checkActivity(_ list: StoredList, _ devices: [SimulatedDevice]) {
        var numbers: [Int: Set<Int64>] = [:]
        var last: [Int: ConfirmedEntry] = [:]
        for entry in list.activity {
            guard let made = made[entry.entry.id] else {
                report("I2", "the Activity has an entry that nobody made")
                continue
            }
            if !numbers[made.device, default: []].insert(entry.entry.deviceSequence).inserted {
                report("I2", "device \(made.device) has given a number twice")
            }
            if entry.author != made.account { report("I9", "\(made.name) has another author") }
            if refused.contains(entry.entry.id) { continue }
            if restores == 0, let before = last[made.device] {
                if before.entry.deviceSequence > entry.entry.deviceSequence {
                    report("order", "\(made.name) came after a later one of its device")
                } else if before.madeAt > entry.madeAt, devices[made.device].boots == 1,
                    !interrupted.contains(entry.entry.id), !interrupted.contains(before.entry.id)
                {
                    report("order", "\(made.name) counts as made before an earlier one of its device")
                }
            }
            last[made.device] = entry
        }
    }

    /// I1 and I8: everything that was made is in the Activity, or rejected in sight.
    private mutating func checkNothingLost(_ devices: [SimulatedDevice], _ database: Database, at time: Int64) {
        let rejected = devices.map { Set($0.store.rejected.lazy.map(\.entry.id)) }
        for id in order {
            guard let made = made[id], let list = database.lists[made.list], list.taken[id] == nil,
                !rejected[made.device].contains(id)
            else { continue }
            let device = devices[made.device]
            if device.store.lists[made.list]?.isLocal == true { continue }
            // A restored service gets back what its devices still know of the last 30 days.
            let isKnown =
                device.arrivals[made.list] == made.arrival && device.store.lists[made.list] != nil
                && device.hasSteadyClock && time - made.at < 29 * 86_400_000
            if restores > 0, committed.contains(id), !isKnown { continue }
            report("I1", "\(made.name) is lost")
        }
        for (id, kept) in mustReturn.sorted(by: { $0.key < $1.key }) {
            guard devices[kept.device].arrivals[id] == kept.arrival, let list = database.lists[id] else { continue }
            for entry in kept.entries.sorted() where list.taken[entry] == nil {
                report("I1", "\(made[entry]?.name ?? "an entry") was on the owner's device and didn't come back")
            }
        }
    }
}
