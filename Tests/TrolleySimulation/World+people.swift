import TrolleyJournal
import TrolleySync
import TrolleyWire

// What people do.

extension World {
    func make(on number: Int, isInvalid: Bool) {
        let ids = devices[number].store.lists.keys.sorted()
        guard let id = random.pick(ids), let list = devices[number].store.lists[id] else { return }
        let clock = devices[number].clock(at: time)
        var items = list.entries.values.compactMap { $0.entry.entry.operation == .add ? $0.entry.entry.item : nil }
        items += list.pending.compactMap { $0.entry.operation == .add ? $0.entry.item : nil }
        items.sort()
        let batch: BatchID = random.identifier(at: clock.wall)
        let entries = (0...random.below(3)).map { _ in entry(about: &items, batch, at: clock.wall) }
        guard !isInvalid else {
            var invalid = entries[0]
            invalid.fields[Fields.note] = .string(String(repeating: "long ", count: 1_000))
            note(.invalidEntryMade)
            return keep([invalid], isInvalid: true, on: number, id)
        }
        keep(entries, isInvalid: false, on: number, id)
    }

    private func keep(_ entries: [JournalEntry], isInvalid: Bool, on number: Int, _ list: ListID) {
        let made = devices[number].clock(at: time)
        let isUploading = if case .call(.upload, _)? = devices[number].run?.next { true } else { false }
        note(.madeDuringUpload, isUploading ? 1 : 0)
        let numbered = devices[number].store.append(entries, to: list, made: made)
        for entry in numbered {
            truth.order.append(entry.id)
            truth.made[entry.id] = Truth.Made(
                list: list, device: number, account: devices[number].account, entry: entry, at: time,
                boot: devices[number].boots, arrival: devices[number].arrivals[list] ?? 0, isInvalid: isInvalid)
            mark(entry.deviceSequence)
        }
        say("device \(number) makes \(numbered.map { "\($0.deviceSequence) \($0.operation)" }.joined(separator: ", "))")
    }

    private func entry(about items: inout [ItemID], _ batch: BatchID, at wall: Timestamp) -> JournalEntry {
        let id: EntryID = random.identifier(at: wall)
        let text = FieldValue.string("t\(random.below(1_000))")
        func entry(
            _ operation: TrolleyJournal.Operation, _ item: ItemID?, after: ItemID? = nil, _ fields: Fields = [:]
        ) -> JournalEntry {
            JournalEntry(
                id: id, operation: operation, item: item, after: after, fields: fields, batch: batch, deviceSequence: 0)
        }
        let known = random.pick(items)
        switch (random.below(20), known) {
        case (0...3, let item?): return entry(.markOff, item)
        case (4...5, let item?): return entry(.unmark, item)
        case (6...7, let item?): return entry(.delete, item)
        case (8...10, let item?): return entry(.edit, item, [Fields.quantity: text])
        case (11...12, let item?): return entry(.move, item, after: random.chance(20) ? nil : random.pick(items))
        case (13, _): return entry(.renameList, nil, [Fields.text: text])
        default:
            let item: ItemID = random.identifier(at: wall)
            items.append(item)
            return entry(.add, item, after: known, [Fields.text: text])
        }
    }

    func shop(on number: Int) {
        for (id, list) in devices[number].store.lists.sorted(by: { $0.key < $1.key }) {
            devices[number].store.setShopping(!list.isShopping, in: id)
        }
    }

    /// The owner changes what another person may do.
    func setPermission(_ permission: Permission?, on list: ListID) {
        guard service.database.lists[list] != nil, let account = random.pick(Array(people)),
            service.database.lists[list]?.owner != account
        else { return }
        let before = service.database.lists[list]?.members[account]
        guard before != permission else { return }
        service.setPermission(permission, of: account, on: list)
        truth.setPermission(permission, of: account, on: list)
        switch permission {
        case nil: note(.personRemoved)
        case .readOnly: note(.personRestricted)
        case .readWrite: note(.personRejoined, before == nil ? 1 : 0)
        }
        say("person \(people.firstIndex(of: account) ?? 0) may now \(permission?.rawValue ?? "do nothing")")
    }

    // MARK: Devices

    /// The device's program ends, perhaps after its request took effect.
    func crash(_ number: Int) {
        advance(number, steps: random.below(14), stopsAtCall: true)
        if devices[number].run?.call != nil, random.chance(50), let process = process() {
            _ = serve(number, process)
            note(.crashedAfterCommit)
        }
        note(.programCrashed, devices[number].run == nil ? 0 : 1)
        note(.crashedWithStagedPages, devices[number].store.lists.values.contains { $0.isStaging } ? 1 : 0)
        if let run = devices[number].run { truth.noteInterrupted(run) }
        devices[number].run = nil
        devices[number].expected = [:]
        if defect == .queueInMemory { devices[number].store.forgetQueues() }
        say("the program of device \(number) ends")
        truth.checkOwn(of: devices[number], in: service.database, at: time)
    }

    func reboot(_ number: Int) {
        crash(number)
        devices[number].boots += 1
        devices[number].startedAt = time
        devices[number].hasSteadyClock = false
        note(.machineRestarted)
    }

    func setClock(_ number: Int) {
        let range: Int64 = random.chance(15) ? 400 * 86_400_000 : 3 * 86_400_000
        let offset = Int64(random.next() % UInt64(2 * range)) - range
        note(offset < devices[number].wallOffset ? .clockSetBack : .clockSetForward)
        devices[number].wallOffset = offset
        devices[number].hasSteadyClock = false
        devices[number].mayCallFrom = nil
        devices[number].failedAt = Timestamp(milliseconds: 0)
        say("the clock of device \(number) is \(offset) ms from the true time")
    }

    func passWeeks() {
        time += Int64(3 + random.below(80)) * 86_400_000
        // No connection lives that long.
        held = []
        note(.weeksPassed)
    }
}
