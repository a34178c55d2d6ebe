import TrolleyJournal
import TrolleySync
import TrolleyWire

// The end of a scenario: nothing goes wrong any more, and everything must become right within a stated number of rounds.

extension World {
    /// In each round, every device syncs once, and six minutes pass: longer than a device ever waits by itself.
    package static let maxRounds = 3

    func heal() {
        say("— everything heals")
        random = Randomness(seed: scenario.seed)
        while !held.isEmpty { arrive() }
        for process in service.processes.indices {
            service.processes[process] = ServiceProcess(epoch: service.processes[process].epoch)
        }
        rejoinLostLists()
        while rounds < Self.maxRounds, !truth.hasViolations {
            rounds += 1
            syncAll()
            if areQueuesEmpty { break }
        }
        guard !truth.hasViolations else { return }
        if !areQueuesEmpty { reportWaiting() }
        // What the last device sent in the last round, the others fetch now.
        syncAll()
        say("checking")
        truth.checkEnd(devices, service.database, at: time)
    }

    /// A list that the service has lost comes back with its owner. Then the owner invites the others again.
    private func rejoinLostLists() {
        var isIncomplete = false
        for (number, list) in lists.enumerated() {
            guard truth.restores > 0 || service.database.lists[list] == nil else { continue }
            isIncomplete = true
            for device in devices where device.account == devices[number].account { sync(device.number) }
        }
        guard isIncomplete else { return }
        for list in lists {
            guard let owner = service.database.lists[list]?.owner else { continue }
            for account in people where account != owner && service.database.lists[list]?.members[account] == nil {
                if truth.restores == 0, truth.removed[list]?.contains(account) == true { continue }
                service.setPermission(.readWrite, of: account, on: list)
                truth.members[list]?[account] = .readWrite
            }
        }
    }

    private func syncAll() {
        time += 360_000
        for number in devices.indices { sync(number) }
    }

    private func sync(_ number: Int) {
        finishRun(number)
        advance(number, steps: 1, trigger: .timer)
        finishRun(number)
    }

    private func finishRun(_ number: Int) {
        var steps = 0
        while devices[number].run != nil, steps < 2_000 {
            advance(number, steps: 1)
            steps += 1
        }
        if devices[number].run != nil { truth.report("liveness", "a run of device \(number) doesn't end") }
    }

    private var areQueuesEmpty: Bool {
        devices.allSatisfy { device in
            device.isDone
                && device.store.lists.allSatisfy { id, list in
                    // A list that is kept here comes back when its owner has made it again.
                    truth.members[id]?[device.account] == nil || list.pending.isEmpty && !list.isLocal
                }
        }
    }

    private func reportWaiting() {
        for device in devices {
            let waiting = device.store.lists.reduce(0) { sum, list in
                sum + (list.value.isLocal ? 0 : list.value.pending.count)
            }
            guard waiting > 0 else { continue }
            let until = device.store.retryState.nextTry.map {
                ", for another \($0.milliseconds - device.clock(at: time).wall.milliseconds) ms"
            }
            truth.report(
                "I5", "device \(device.number) has \(waiting) entries in its queue after \(rounds) rounds\(until ?? "")"
            )
        }
    }
}

extension Truth {
    fileprivate var hasViolations: Bool { !violations.isEmpty }
}
