import TrolleyJournal
import TrolleySync
import TrolleyWire

/// A device's lists and queues in the plainest form, as docs/device.md describes them: arrays, and no step that is only there for
/// speed. Stores are compared with it.
struct PlainQueues {
    struct Pending: Hashable {
        var entry: JournalEntry
        var made: DeviceTime
        var estimate: Timestamp
        var position: Int
        /// Where the service has taken it; nil: it waits to be sent.
        var taken: SequenceNumber?
        var isSent = false
        /// Whether it is offered again although this device may not have made it.
        var isOffered = false
        /// Since when the device keeps it for a restored service.
        var kept = Timestamp(milliseconds: 0)
    }

    struct List {
        /// Whether the list is shown with what is not applied.
        let showsAll: Bool
        var isPublished: Bool
        /// Whether the service has proven that the list is the account's.
        var hasProof = false
        var token: String?
        var through = SequenceNumber.start
        var received: Timestamp?
        /// The part of a snapshot that has arrived; nil: none is arriving.
        var staged: [Change]?
        var entries: [EntryID: (entry: ConfirmedEntry, isApplied: Bool)] = [:]
        var pending: [Pending] = []
        /// Entries that the device has sent and the service has, for a restored service.
        var own: [Pending] = []
        var unseen: [ItemID: EntryID] = [:]
        var positions = 0

        var stream: [(entry: ConfirmedEntry, isApplied: Bool)] {
            entries.values.sorted { $0.entry.sequence < $1.entry.sequence }
        }
        /// In shopping mode the person sees less than was received.
        var applied: [ConfirmedEntry] { stream.filter(\.isApplied).map(\.entry) }
        var toApply: [ConfirmedEntry] { stream.filter { !$0.isApplied }.map(\.entry) }
        var waiting: [Pending] { pending.filter { $0.taken == nil } }

        /// Whether the device knows that it made the entry.
        func isOwn(_ entry: Pending) -> Bool {
            !entry.isOffered || own.contains { $0.entry.id == entry.entry.id && !$0.isOffered }
        }

        /// The own entries that have not come back.
        var shownPending: [PendingEntry] {
            pending.filter { entries[$0.entry.id] == nil }.map { PendingEntry(entry: $0.entry, madeAt: $0.estimate) }
        }

        var shown: [ConfirmedEntry] { showsAll ? stream.map(\.entry) : applied }

        var state: ListState { ListFold(folding: shown, pending: shownPending).state(without: unseen) }
    }

    let showsAll: Bool
    private(set) var lists: [ListID: List] = [:]
    private(set) var rejected: [RejectedEntry] = []
    private var counters: [ListID: Int64] = [:]

    init(showsAll: Bool) { self.showsAll = showsAll }

    // MARK: The upload queue

    mutating func addList(_ id: ListID) {
        if lists[id] == nil { lists[id] = List(showsAll: showsAll, isPublished: false) }
    }

    mutating func append(_ entries: [JournalEntry], to id: ListID, made: DeviceTime) -> [JournalEntry] {
        guard var list = lists[id] else { return [] }
        let latest = (list.shown.map(\.madeAt) + list.shownPending.map(\.madeAt)).max()
        var numbered: [JournalEntry] = []
        for var entry in entries {
            counters[id, default: 0] += 1
            list.positions += 1
            entry.deviceSequence = counters[id] ?? 0
            list.pending.append(
                Pending(entry: entry, made: made, estimate: made.estimate(after: latest), position: list.positions))
            numbered.append(entry)
        }
        lists[id] = list
        return numbered
    }

    mutating func noteSending(_ entries: [EntryID], in id: ListID) {
        change(id) { list in
            for index in list.pending.indices where entries.contains(list.pending[index].entry.id) {
                list.pending[index].isSent = true
            }
        }
    }

    mutating func noteUploadEnded(
        in id: ListID, age: Int64, at now: DeviceTime, latest: Timestamp?, sent: [EntryID]
    ) {
        let made = now.earlier(byMilliseconds: age)
        change(id) { list in
            for index in list.pending.indices where list.pending[index].taken == nil {
                let entry = list.pending[index]
                guard !sent.contains(entry.entry.id), !entry.isOffered, entry.made.age(at: now) > age,
                    !list.own.contains(where: { $0.entry.id == entry.entry.id })
                else { continue }
                list.pending[index].made = made
                if let latest { list.pending[index].estimate = max(entry.estimate, latest) }
            }
        }
    }

    mutating func settle(_ verdicts: [UploadVerdict], in id: ListID, at now: Timestamp) {
        guard var list = lists[id] else { return }
        let name = list.state.name
        for verdict in verdicts {
            guard let index = list.pending.firstIndex(where: { $0.entry.id == verdict.entry }) else { continue }
            switch verdict.outcome {
            case .accepted(let sequence) where sequence > list.through: list.pending[index].taken = sequence
            case .accepted, .known: list.retire(list.pending[index].entry.id, at: now)
            case .rejected(let code, let detail):
                let entry = list.pending.remove(at: index).entry
                if rejected.contains(where: { $0.list == id && $0.entry.id == entry.id }) { continue }
                rejected.append(
                    RejectedEntry(
                        list: id, listName: name, entry: entry, code: code, detail: detail, rejectedAt: now))
            }
        }
        lists[id] = list
    }

    /// - Parameter head: the number of changes that the service has of the list.
    mutating func notePublished(_ id: ListID, head: SequenceNumber, at now: Timestamp) {
        change(id) { list in
            list.isPublished = true
            list.hasProof = true
            if head < list.through { list.offerAll(at: now) }
        }
    }

    // MARK: Fetches

    mutating func receive(_ response: AllChangesResponse, at now: Timestamp) -> FetchOutcome {
        var outcome = FetchOutcome()
        for page in response.lists { receive(page.page, of: page.id, at: now, &outcome) }
        for id in response.expired where lists[id] != nil {
            change(id) { list in
                // A list that was never shared is the person's own: it is created on the service again.
                if list.token == nil, !list.isPublished { return }
                list.isPublished = !list.hasProof && list.staged != nil
                list.token = nil
                list.staged = nil
                outcome.expired += 1
                outcome.progressed = true
            }
        }
        for (id, reason) in response.gone.sorted(by: { $0.key < $1.key }) {
            guard let list = lists.removeValue(forKey: id) else { continue }
            for waiting in list.waiting {
                rejected.append(
                    RejectedEntry(
                        list: id, listName: list.state.name, entry: waiting.entry, code: .listDeleted,
                        detail: reason.sentence, rejectedAt: now))
            }
            outcome.keptAside += list.waiting.count
            outcome.news += 1
            outcome.progressed = true
        }
        for id in lists.keys {
            change(id) { $0.own.removeAll { $0.kept < now.advanced(byMilliseconds: -reofferWindow) } }
        }
        return outcome
    }

    private mutating func receive(
        _ page: ChangesPage, of id: ListID, at now: Timestamp, _ outcome: inout FetchOutcome
    ) {
        if lists[id] == nil { outcome.news += 1 }
        var list = lists[id] ?? List(showsAll: showsAll, isPublished: true)
        if page.snapshot && list.token == nil { list.staged = [] }
        if list.staged == nil || !page.moreComing {
            for case .entry(let entry) in ((list.staged ?? []) + page.changes).map(\.body) {
                let isSame = { (each: RejectedEntry) in each.list == id && each.entry.isSame(as: entry.entry) }
                guard let own = rejected.first(where: isSame)?.entry else { continue }
                rejected.removeAll(where: isSame)
                // A store that is restored with the service has nothing to offer it.
                if !showsAll { list.keep(own, as: entry, last: counters[id] ?? 0, at: now) }
            }
        }
        if list.token != page.token || !page.changes.isEmpty { outcome.progressed = true }
        for case .discard(let ids, _) in page.changes.map(\.body) { outcome.discarded += ids.count }
        if page.snapshot || list.staged != nil {
            // A page without a token begins a snapshot afresh.
            if list.token == nil || list.staged == nil { list.staged = [] }
            list.staged = (list.staged ?? []) + page.changes
            if !page.moreComing { outcome.news += list.replace(through: page.through, at: now) }
        } else {
            for change in page.changes { if list.take(change, after: list.through, at: now) { outcome.news += 1 } }
            list.pass(max(list.through, page.changes.map(\.sequence).max() ?? .start, page.through ?? .start), at: now)
        }
        list.token = page.token
        list.isPublished = true
        list.received = now
        if let digest = page.expectedDigest, digest != ListState(folding: list.stream.map(\.entry)).digest {
            list.token = nil
            outcome.differing += 1
            outcome.progressed = true
        }
        lists[id] = list
    }

    mutating func apply(in id: ListID, shopping: Bool) {
        change(id) { list in
            var search = UnseenItemSearch(received: list.received ?? Timestamp(milliseconds: 0))
            for entry in list.toApply { search.scan(entry) }
            for entry in list.toApply { search.collect(entry) }
            let finished = search.unseenItems(over: ListFold(folding: list.applied, pending: list.shownPending))
            list.unseen.merge(finished.markedOff) { $1 }
            let shown =
                shopping ? list.toApply.showingWhileShopping(finished: finished.entries) : list.toApply.map(\.entry.id)
            for id in shown { list.entries[id]?.isApplied = true }
        }
    }

    private mutating func change(_ id: ListID, _ body: (inout List) -> Void) {
        guard var list = lists[id] else { return }
        body(&list)
        lists[id] = list
    }
}

extension PlainQueues.List {
    /// Replaces what was received with the snapshot that has arrived.
    /// - Returns: the number of changes that are new to the person.
    fileprivate mutating func replace(through end: SequenceNumber?, at now: Timestamp) -> Int {
        let before = Set(entries.values.filter(\.isApplied).map(\.entry.entry.id))
        let snapshot = staged ?? []
        staged = nil
        entries = [:]
        var news = 0
        for change in snapshot {
            let isNew = take(change, after: nil, wasApplied: before, at: now)
            if isNew, case .entry = change.body { news += 1 }
        }
        // The service may have lost what it had taken or confirmed lately. What the snapshot brings and compresses is not lost.
        let brought = Set(snapshot.compactMap { if case .entry(let entry) = $0.body { entry.entry.id } else { nil } })
        for index in pending.indices { pending[index].taken = nil }
        for var entry in own where !brought.contains(entry.entry.id) {
            guard !pending.contains(where: { $0.entry.id == entry.entry.id }),
                entry.kept >= now.advanced(byMilliseconds: -reofferWindow)
            else { continue }
            entry.taken = nil
            entry.isSent = true
            entry.estimate = entry.made.wall
            pending.append(entry)
        }
        pending.sort { $0.position < $1.position }
        through = .start
        pass(max(snapshot.map(\.sequence).max() ?? .start, end ?? .start), at: now)
        return news
    }

    /// - Parameter before: changes up to here are no news; nil: all may be.
    /// - Returns: whether the change is new to the person.
    fileprivate mutating func take(
        _ change: Change, after before: SequenceNumber?, wasApplied: Set<EntryID> = [], at now: Timestamp
    ) -> Bool {
        let isLater = before.map { change.sequence > $0 } ?? true
        switch change.body {
        case .entry(let entry):
            let id = entry.entry.id
            let isApplied = retire(id, at: now) || wasApplied.contains(id)
            entries[id] = (entry, entries[id]?.isApplied ?? isApplied)
            return isLater && !isApplied
        case .share: return isLater
        case .discard(let ids, let anchors):
            for id in ids { entries[id] = nil }
            for (id, after) in anchors { entries[id]?.entry.entry.after = after }
            return false
        }
    }

    /// Everything up to here has arrived.
    fileprivate mutating func pass(_ sequence: SequenceNumber, at now: Timestamp) {
        for entry in pending where entry.taken.map({ $0 <= sequence }) ?? false { retire(entry.entry.id, at: now) }
        through = sequence
    }

    /// The service has the entry: it is no longer the device's to send.
    /// - Returns: whether it was.
    @discardableResult
    fileprivate mutating func retire(_ id: EntryID, at now: Timestamp) -> Bool {
        guard let index = pending.firstIndex(where: { $0.entry.id == id }) else { return false }
        var entry = pending.remove(at: index)
        entry.isOffered = !isOwn(entry)
        entry.kept = now
        own.removeAll { $0.entry.id == id }
        own.append(entry)
        return true
    }

    /// A rejected entry has arrived all the same. It is kept in the place that it had in the queue.
    /// - Parameter last: the device's last number.
    fileprivate mutating func keep(
        _ entry: JournalEntry, as received: ConfirmedEntry, last: Int64, at now: Timestamp
    ) {
        if let index = own.firstIndex(where: { $0.entry.id == entry.id }) {
            own[index].kept = now
            return
        }
        var position = positions - Int(last - entry.deviceSequence)
        if !(1...max(1, positions)).contains(position) || (pending + own).contains(where: { $0.position == position }) {
            positions += 1
            position = positions
        }
        own.append(
            PlainQueues.Pending(
                entry: entry, made: DeviceTime(boot: "", uptime: 0, wall: received.madeAt), estimate: received.madeAt,
                position: position, isSent: true, kept: now))
    }

    /// The service has lost the list: it gets all entries that are here, before newer ones.
    fileprivate mutating func offerAll(at now: Timestamp) {
        let confirmed = stream.map(\.entry)
        let unsent = waiting.filter { !$0.isOffered }.map(\.made.wall)
        // The service's clock may be ahead. What is offered must not become younger than what was made here later.
        let earliest = min(unsent.min() ?? now, now)
        let delay = max(0, (confirmed.map(\.madeAt).max() ?? now).milliseconds - earliest.milliseconds)
        var position = min(pending.map(\.position).min() ?? 1, 1) - confirmed.count
        for entry in confirmed {
            if !pending.contains(where: { $0.entry.id == entry.entry.id }) {
                let wall = entry.madeAt.advanced(byMilliseconds: -delay)
                pending.append(
                    PlainQueues.Pending(
                        entry: entry.entry, made: DeviceTime(boot: "", uptime: 0, wall: wall), estimate: entry.madeAt,
                        position: position, isSent: true, isOffered: true))
            }
            position += 1
        }
        for index in pending.indices { pending[index].taken = nil }
        pending.sort { $0.position < $1.position }
        entries = [:]
        staged = nil
        token = nil
        through = .start
    }
}

extension JournalEntry {
    /// Whether both are the same, wherever they stand.
    fileprivate func isSame(as other: JournalEntry) -> Bool {
        id == other.id && operation == other.operation && item == other.item && fields == other.fields
            && batch == other.batch && cause == other.cause && reverts == other.reverts
            && deviceSequence == other.deviceSequence
    }
}
