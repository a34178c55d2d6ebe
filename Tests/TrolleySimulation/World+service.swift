import TrolleyJournal
import TrolleyWire

// What happens to the service.

extension World {
    func stop(_ process: Int) {
        service.processes[process].isStopped = true
        service.processes[process].plan = nil
        note(.processStopped)
    }

    /// The process that a call reaches; nil: the one that it was sent to is stopped.
    func process() -> Int? {
        let process = random.below(service.processes.count)
        return service.processes[process].isStopped ? nil : process
    }

    func lowerLimits(of process: Int) {
        var limits = ServiceProcess.generous
        limits.entriesPerRequest = 1 + random.below(5)
        limits.changesPerPage = 1 + random.below(8)
        if random.chance(30) { limits.bytesPerRequest = 600 + random.below(2_000) }
        service.processes[process].limits = limits
        service.processes[process].tellsLimits = random.chance(60)
        note(.limitsLowered)
    }

    func compress(_ list: ListID, by process: Int) {
        guard !service.processes[process].isStopped else { return }
        let age = [0, 0, 60_000, 3_600_000, 14 * 86_400_000][random.below(5)]
        service.planCompression(
            of: list, olderThan: now.advanced(byMilliseconds: -Int64(age) + 1), step: 1 + random.below(4), by: process)
        say("process \(process) plans to compress: \(service.processes[process].plan?.steps.count ?? 0) steps")
        if random.chance(50) { while service.processes[process].plan != nil { compressionStep(by: process) } }
    }

    func compressionStep(by process: Int) {
        guard let id = service.processes[process].plan?.list else { return }
        let before = service.database.lists[id]
        let (list, isStale) = service.compressionStep(by: process)
        note(.compressionStale, isStale ? 1 : 0)
        guard list != nil, let before, let after = service.database.lists[id] else { return }
        note(.entriesCompressed, before.live.count - after.live.count)
        mark(after.head.rawValue)
        say("process \(process) discards \(before.live.count - after.live.count) entries")
        truth.checkSequences(after, since: before)
        if ListState(folding: before.inOrder).digest != ListState(folding: after.inOrder).digest {
            truth.report("compression", "a step of a compression has changed the list")
        }
    }

    func dropTrail(of list: ListID) {
        let before = service.database.lists[list]?.trailFrom
        service.dropTrail(of: list, share: random.below(101))
        if service.database.lists[list]?.trailFrom != before {
            note(.trailDropped)
            say("the trail begins at \(service.database.lists[list]?.trailFrom.rawValue ?? 0)")
        }
    }

    func backUp() {
        backups.append((service.database, truth.members))
        say("a backup")
    }

    /// The database becomes an older copy of itself. Who is on a list, and what was allowed, is as it was then.
    func restore() {
        let place = random.chance(12) ? 0 : random.below(backups.count)
        let backup = backups[place]
        // A copy without the accounts' lists is one from before everything; it counts as a loss of the lists.
        let (lost, epoch) = (service.database, service.database.epoch)
        service.database = backup.database
        service.database.epoch = defect == .restoreKeepsEpoch ? epoch : epoch + 1
        if defect != .restoreKeepsEpoch { for process in [0] { service.processes[process].epoch = epoch + 1 } }
        for process in service.processes.indices { service.processes[process].plan = nil }
        truth.restores += 1
        truth.mustReturn = [:]
        note(.databaseRestored)
        say("the database becomes backup \(place)")
        for list in lists {
            let members = truth.members[list] ?? [:]
            for account in members.keys where backup.members[list]?[account] != members[account] {
                // Until the owner restores it, this person has another permission.
                if members[account] != .readWrite || backup.members[list]?[account] != .readWrite {
                    truth.restricted[list, default: []].insert(account)
                    truth.removed[list, default: []].insert(account)
                }
            }
            for account in backup.members[list]?.keys.sorted() ?? []
            where members[account] != backup.members[list]?[account] {
                truth.restricted[list, default: []].insert(account)
                truth.removed[list, default: []].insert(account)
            }
            guard let before = lost.lists[list], backup.database.lists[list] == nil else { continue }
            note(.listLost)
            let owners = devices.filter { $0.account == before.owner }
            if owners.count == 1, let owner = owners.first, let kept = owner.store.lists[list], !kept.isStaging,
                kept.token != nil
            {
                let entries = Set(kept.entries.keys.lazy.filter { before.live[$0] != nil })
                truth.mustReturn[list] = (owner.number, owner.arrivals[list] ?? 0, entries)
            }
        }
        truth.members = backup.members
    }
}
