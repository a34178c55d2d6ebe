import TrolleyJournal
import TrolleyWire

/// What is true, kept beside service and devices: who made what, who is on which list, and what was told to whom. Every promise
/// that is checked while the simulation runs is checked here.
struct Truth: Sendable {
    struct Made: Sendable {
        var list: ListID
        var device: Int
        var account: AccountID
        var entry: JournalEntry
        /// By the true time.
        var at: Int64
        /// The device's boot, and how often the list had come to it.
        var boot: Int
        var arrival: Int
        var isInvalid: Bool
    }

    struct Place: Hashable, Sendable {
        var list: ListID
        var epoch: Int
        var sequence: SequenceNumber
    }

    var made: [EntryID: Made] = [:]
    /// In the order in which they were made.
    var order: [EntryID] = []
    var committed: Set<EntryID> = []
    var members: [ListID: [AccountID: Permission]] = [:]
    /// People who were not allowed to write a list at some time.
    var restricted: [ListID: Set<AccountID>] = [:]
    /// People who were not on a list at some time after it was shared.
    var removed: [ListID: Set<AccountID>] = [:]
    var served: [Place: EntryID] = [:]
    var restores = 0
    /// Entries whose request was still under way when its program ended, or gave it up, or whose answer wasn't stored yet when it
    /// ended. Nothing dates what waits behind them by the time at which it arrives.
    private(set) var interrupted: Set<EntryID> = []
    /// Entries that were rejected at some time. A request that was held may bring one all the same, later than younger ones.
    var refused: Set<EntryID> = []
    /// What the owner's only device had of a list when the service lost it.
    var mustReturn: [ListID: (device: Int, arrival: Int, entries: Set<EntryID>)] = [:]
    private(set) var violations: [String] = []

    mutating func report(_ promise: String, _ what: String) {
        if violations.count < 20 { violations.append("\(promise): \(what)") }
    }

    mutating func noteInterrupted(_ run: DeviceRun) { interrupted.formUnion(run.uploading) }

    mutating func setPermission(_ permission: Permission?, of account: AccountID, on list: ListID) {
        guard members[list] != nil else { return }
        members[list]?[account] = permission
        if permission != .readWrite { restricted[list, default: []].insert(account) }
        if permission == nil { removed[list, default: []].insert(account) }
    }

    // MARK: The service

    /// Checks what an upload has changed.
    mutating func check(
        upload response: UploadResponse?, to id: ListID, from caller: Caller, device: SimulatedDevice,
        before: StoredList?, after: StoredList?, sentAt: Int64, arrivedAt time: Int64
    ) {
        guard let before, let after else { return }
        let new = after.activity.dropFirst(before.activity.count)
        if after.activity.count < before.activity.count { report("I1", "the Activity has become shorter") }
        if !new.isEmpty, members[id]?[caller.account] != .readWrite {
            report("I7", "somebody who may not write the list has written it")
        }
        for entry in new {
            committed.insert(entry.entry.id)
            check(new: entry, in: before, device: device, sentAt: sentAt, arrivedAt: time)
        }
        checkSequences(after, since: before)
        for result in response?.results ?? [] {
            guard let entry = result.id, result.status != .rejected else { continue }
            guard let place = after.taken[entry] else {
                report("I1", "\(made[entry]?.name ?? "an entry") was confirmed and isn't stored")
                continue
            }
            let places = [after.live[entry]?.sequence, after.activity[place].sequence]
            if !places.contains(result.sequence) {
                report("I2", "\(made[entry]?.name ?? "an entry") was answered with another's place")
            }
        }
    }

    private mutating func check(
        new: ConfirmedEntry, in before: StoredList, device: SimulatedDevice, sentAt: Int64, arrivedAt time: Int64
    ) {
        guard let made = made[new.entry.id] else { return report("I2", "an entry that nobody made was accepted") }
        if before.taken[new.entry.id] != nil { report("I2", "\(made.name) was accepted twice") }
        if restores == 0 ? new.entry != made.entry : !new.entry.isSame(as: made.entry) {
            report("I2", "\(made.name) was changed on its way")
        }
        if new.author != made.account { report("I9", "\(made.name) has another author") }
        // Exact only within one run of the machine that made it, without older entries before it, and up to the age cap.
        let isExact = device.number == made.device && device.boots == 1 && restores == 0
        guard isExact, time - made.at < Limits().ageCap - 86_400_000 else { return }
        let late = new.madeAt.milliseconds - made.at
        if late < 0 || late > device.timeInFlight + time - sentAt {
            report("age", "\(made.name) counts as made \(late) ms later than it was")
        }
    }

    /// I3: the changes since have the next sequences, without gaps.
    mutating func checkSequences(_ after: StoredList, since before: StoredList) {
        var sequences = after.live.values.map(\.sequence).filter { $0 > before.head }
        sequences += after.events.lazy.map(\.sequence).filter { $0 > before.head }
        // An entry may be discarded and brought back by a later one of its own request.
        let known = Set(sequences)
        sequences += after.activity.lazy.map(\.sequence).filter { $0 > before.head && !known.contains($0) }
        sequences.sort()
        var next = before.head
        for sequence in sequences {
            next = next.advanced(by: 1)
            if sequence != next { return report("I3", "sequence \(sequence.rawValue) follows \(next.rawValue - 1)") }
        }
        if next != after.head { report("I3", "the head is \(after.head.rawValue), the last change \(next.rawValue)") }
    }

    /// Checks what a fetch serves: I3, I7.
    mutating func check(_ response: AllChangesResponse, for caller: Caller, asked: AllChangesRequest, epoch: Int) {
        for page in response.lists {
            if members[page.id]?[caller.account] == nil { report("I7", "somebody who is not on the list reads it") }
            var last = asked.tokens[page.id].flatMap { PageToken($0)?.sequence } ?? .start
            for change in page.page.changes {
                if change.sequence <= last {
                    report("I3", "sequence \(change.sequence.rawValue) comes after \(last.rawValue)")
                }
                last = max(last, change.sequence)
                guard case .entry(let entry) = change.body else { continue }
                let place = Place(list: page.id, epoch: epoch, sequence: change.sequence)
                if let other = served[place], other != entry.entry.id {
                    report("I3", "sequence \(change.sequence.rawValue) has become another entry")
                }
                served[place] = entry.entry.id
            }
        }
    }

    /// Checks what a fetch refuses (I6): a token of this epoch, from which on the trail is there, is honoured.
    mutating func checkRefused(
        _ response: AllChangesResponse, for caller: Caller, asked: AllChangesRequest, by database: Database
    ) {
        for id in response.expired {
            guard let list = database.lists[id], list.members[caller.account] != nil,
                let token = asked.tokens[id].flatMap({ PageToken($0) })
            else { continue }
            if token.epoch == database.epoch, token.sequence <= list.head, list.trailFrom <= token.floor {
                report("I6", "a token of sequence \(token.sequence.rawValue) was refused without a reason")
            }
        }
    }
}

extension JournalEntry {
    /// Whether both are the same but for the anchor: another device brings an entry back as compression has left it.
    func isSame(as other: JournalEntry) -> Bool {
        var entry = self
        entry.after = other.after
        return entry == other
    }
}

extension Truth.Made {
    /// For a person who reads a trace.
    var name: String { "entry \(entry.deviceSequence) of device \(device) (\(entry.operation))" }
}
