import TrolleyJournal
import TrolleySync
import TrolleyWire

/// A simulated device's storage: what survives the end of its program. Each method is one transaction, as in `QueueStore`, but
/// synchronous. The only type through which the simulation uses a store, so that another can take its place.
struct DeviceStore: Sendable {
    struct Pending: Hashable, Sendable {
        var entry: JournalEntry
        var made: DeviceTime
        var estimate: Timestamp
        var position: Int
        /// Where the service has taken it; nil: it waits to be sent.
        var taken: SequenceNumber?
        var isSent = false
        /// Whether it is offered again although this device may not have made it.
        var isOffered = false
        var origin: EntryOrigin?
        /// Since when it is kept for a restored service.
        var kept = Timestamp(milliseconds: 0)
    }

    struct List: Sendable {
        var isPublished: Bool
        var isLocal = false
        var isShopping = false
        var token: String?
        var isStaging = false
        var staged: [Change] = []
        var through = SequenceNumber.start
        var received = Timestamp(milliseconds: 0)
        var proof = ListOwner.Proof.unknown
        var share: ShareState?
        var entries: [EntryID: (entry: ConfirmedEntry, isApplied: Bool)] = [:]
        var pending: [Pending] = []
        /// Entries that left the queue because the service has them, for a restored service.
        var confirmed: [EntryID: Pending] = [:]
        var positions = 0

        func receiving(for account: AccountID) -> ReceivingList {
            ReceivingList(
                token: token, isStaging: isStaging, through: through, isLocal: isLocal, isPublished: isPublished,
                owner: ListOwner(owner: share?.owner, proof: proof, account: account))
        }

        /// Takes what a step has changed.
        mutating func take(_ after: ReceivingList) {
            isPublished = after.isPublished
            isLocal = after.isLocal
            proof = after.owner?.proof ?? proof
        }

        /// What was received, in order.
        var stream: [ConfirmedEntry] { entries.values.map(\.entry).sorted { $0.sequence < $1.sequence } }
        var toApply: [ConfirmedEntry] {
            entries.values.filter { !$0.isApplied }.map(\.entry).sorted { $0.sequence < $1.sequence }
        }
        var waiting: [Pending] { pending.filter { $0.taken == nil } }
    }

    let account: AccountID
    let defect: Defect?
    var lists: [ListID: List] = [:]
    private(set) var rejected: [RejectedEntry] = []
    private(set) var retryState = RetryState()
    private var counters: [ListID: Int64] = [:]

    init(account: AccountID, defect: Defect?) {
        self.account = account
        self.defect = defect
    }

    // MARK: The person's changes

    mutating func addList(_ id: ListID) { if lists[id] == nil { lists[id] = List(isPublished: false) } }

    mutating func append(_ entries: [JournalEntry], to id: ListID, made: DeviceTime) -> [JournalEntry] {
        guard var list = lists[id] else { return [] }
        let latest = Timestamp.latest(
            list.entries.values.lazy.map { $0.entry.madeAt }.max(), list.pending.lazy.map(\.estimate).max())
        if defect == .counterBeginsAgain, list.entries.isEmpty, list.pending.isEmpty { counters[id] = 0 }
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

    mutating func setShopping(_ isShopping: Bool, in id: ListID) { lists[id]?.isShopping = isShopping }

    // MARK: Read by the engine

    func deviceStatus() -> DeviceStatus {
        DeviceStatus(
            lists: lists.sorted { $0.key < $1.key }.map { id, list in
                DeviceStatus.List(
                    id: id, isPublished: list.isPublished, isLocal: list.isLocal, token: list.token,
                    waiting: list.waiting.count, toApply: list.entries.values.count { !$0.isApplied },
                    isShopping: list.isShopping)
            },
            retryState: retryState,
            lacksOwnership: lists.values.contains { $0.isPublished && !$0.isLocal && $0.proof == .unknown })
    }

    func waiting(in id: ListID, limit: Int) -> [QueuedEntry] {
        guard let list = lists[id] else { return [] }
        return list.waiting.prefix(limit).map { waiting in
            let isOwn = !waiting.isOffered || list.confirmed[waiting.entry.id].map { !$0.isOffered } ?? false
            return QueuedEntry(
                entry: waiting.entry, made: waiting.made, isOffered: waiting.isOffered, isOwn: isOwn,
                origin: defect == .offeredWithoutOrigin ? nil : waiting.origin)
        }
    }

    // MARK: Written by the engine

    func createListRequest(for id: ListID) -> CreateListRequest {
        CreateListRequest(of: id, proof: lists[id]?.proof ?? .unknown, share: lists[id]?.share)
    }

    mutating func notePublished(_ id: ListID, as answer: ListResponse?, at now: Timestamp) {
        guard var list = lists[id] else { return }
        list.isPublished = true
        if let answer {
            list.proof = answer.ownership.map { .text($0) } ?? .none
            if answer.head < list.through, defect != .lostListNotOffered { list.offerAll(by: account, at: now) }
        }
        lists[id] = list
    }

    mutating func noteSending(_ entries: [EntryID], in id: ListID) {
        guard let list = lists[id] else { return }
        let sent = Set(entries)
        for index in list.pending.indices where sent.contains(list.pending[index].entry.id) {
            lists[id]?.pending[index].isSent = true
        }
    }

    mutating func noteUploadEnded(_ end: UploadEnd, in id: ListID) {
        guard var list = lists[id], defect != .madeDuringUploadIsOlder else { return }
        for index in list.pending.indices where list.pending[index].taken == nil {
            let entry = list.pending[index]
            if defect == .sentInVainKeepsTime, entry.isSent { continue }
            let queued = UploadEnd.Queued(
                isSent: end.sent.contains(entry.entry.id), isOffered: entry.isOffered,
                isConfirmed: list.confirmed[entry.entry.id] != nil, made: entry.made, estimate: entry.estimate)
            guard let times = end.times(of: queued) else { continue }
            (list.pending[index].made, list.pending[index].estimate) = times
        }
        lists[id] = list
    }

    mutating func settle(_ verdicts: [UploadVerdict], in id: ListID, at now: Timestamp) {
        guard var list = lists[id] else { return }
        let settlement = Settlement(verdicts, through: list.through)
        for taken in settlement.taken {
            guard let index = list.pending.firstIndex(where: { $0.entry.id == taken.entry }) else { continue }
            list.pending[index].taken = taken.sequence
            if defect == .acceptedLeavesAtOnce { list.retire(taken.entry, at: now) }
        }
        for entry in settlement.retired { list.retire(entry, at: now) }
        for refused in settlement.refused {
            guard let index = list.pending.firstIndex(where: { $0.entry.id == refused.entry }) else { continue }
            reject(list.pending.remove(at: index).entry, of: id, refused.code, refused.detail, now)
        }
        lists[id] = list
    }

    mutating func reject(
        _ entry: JournalEntry, of id: ListID, _ code: ProblemCode, _ detail: String?, _ now: Timestamp
    ) {
        if defect == .rejectedVanish, code != .listDeleted { return }
        if defect == .keptAsideVanish, code == .listDeleted { return }
        // What was refused before, and offered again to a restored service, is shown once.
        if rejected.contains(where: { $0.list == id && $0.entry.id == entry.id }) { return }
        rejected.append(
            RejectedEntry(list: id, listName: nil, entry: entry, code: code, detail: detail, rejectedAt: now))
    }

    /// From now on, a rejected entry that has arrived is kept for a restored service as if it had come back from the queue.
    mutating func dismissArrived(_ changes: [Change], in list: ListID, at now: Timestamp) {
        guard !rejected.isEmpty, defect != .arrivedStaysRejected else { return }
        for case .entry(let entry) in changes.lazy.map(\.body) {
            let index = rejected.firstIndex {
                $0.list == list && $0.entry.id == entry.entry.id && $0.hasArrived(as: entry.entry)
            }
            guard let index else { continue }
            let own = rejected.remove(at: index).entry
            guard defect != .arrivedNotKept else { continue }
            lists[list]?.keep(own, as: entry, last: counters[list] ?? 0, at: now)
        }
    }

    mutating func apply(in id: ListID, shopping: Bool) {
        guard var list = lists[id], defect != .neverApplied else { return }
        let waiting = list.toApply
        var search = UnseenItemSearch(received: list.received)
        for entry in waiting { search.scan(entry) }
        var finished = FinishedUnseenItems()
        if search.needsSecondPass {
            for entry in waiting { search.collect(entry) }
            finished = search.unseenItems(
                over: ListFold(folding: list.entries.values.filter(\.isApplied).map(\.entry), pending: []))
        }
        let shown =
            shopping ? waiting.showingWhileShopping(finished: finished.entries) : waiting.map(\.entry.id)
        for entry in shown { list.entries[entry]?.isApplied = true }
        lists[id] = list
    }

    mutating func saveRetryState(_ retryState: RetryState) { self.retryState = retryState }

    // MARK: Defects

    mutating func saveToken(_ token: String, of id: ListID) { lists[id]?.token = token }

    /// The end of the program, with a queue that is in memory.
    mutating func forgetQueues() {
        for id in lists.keys { lists[id]?.pending.removeAll { !$0.isSent } }
    }

    /// New ids for entries that were sent.
    mutating func renew(_ random: inout Randomness, at now: Timestamp) {
        for id in lists.keys.sorted() {
            for index in lists[id]?.pending.indices ?? 0..<0 where lists[id]?.pending[index].taken == nil {
                lists[id]?.pending[index].entry.id = random.identifier(at: now)
            }
        }
    }
}

extension DeviceStore.List {
    /// The service has the entry: it is no longer the device's to send.
    /// - Returns: whether it was.
    @discardableResult
    mutating func retire(_ id: EntryID, as received: ConfirmedEntry? = nil, at now: Timestamp) -> Bool {
        guard let index = pending.firstIndex(where: { $0.entry.id == id }) else { return false }
        var entry = pending.remove(at: index)
        if let origin = received?.origin { entry.origin = origin }
        if let own = confirmed[id], !own.isOffered { entry.isOffered = false }
        entry.kept = now
        confirmed[id] = entry
        return true
    }

    /// - Parameter last: the device's last number. Places and numbers advance together while the list is on the device.
    mutating func keep(_ own: JournalEntry, as received: ConfirmedEntry, last: Int64, at now: Timestamp) {
        if confirmed[own.id] != nil {
            confirmed[own.id]?.kept = now
            return
        }
        var position = positions - Int(last - own.deviceSequence)
        let isTaken =
            pending.contains { $0.position == position } || confirmed.values.contains { $0.position == position }
        if position < 1 || position > positions || isTaken {
            positions += 1
            position = positions
        }
        let made = DeviceTime(boot: "", uptime: 0, wall: received.madeAt)
        confirmed[own.id] = DeviceStore.Pending(
            entry: own, made: made, estimate: made.wall, position: position, isSent: true, origin: received.origin,
            kept: now)
    }

    /// The service has lost the list: it gets everything that is here, before newer changes. Everybody's entries keep their
    /// authors.
    mutating func offerAll(by account: AccountID, at now: Timestamp) {
        let stream = stream
        let offer = ListOffer(
            count: stream.count, latest: stream.map(\.madeAt).max(), first: pending.map { Int64($0.position) }.min(),
            unsent: waiting.filter { !$0.isOffered }.map(\.made.wall).min(), at: now)
        var position = Int(offer.position)
        let known = Set(pending.map(\.entry.id))
        for entry in stream {
            if !known.contains(entry.entry.id) {
                let made = DeviceTime(boot: "", uptime: 0, wall: offer.wall(of: entry.madeAt))
                pending.append(
                    DeviceStore.Pending(
                        entry: entry.entry, made: made, estimate: entry.madeAt, position: position, isSent: true,
                        isOffered: true, origin: entry.origin))
            }
            position += 1
        }
        for index in pending.indices { pending[index].taken = nil }
        pending.sort { $0.position < $1.position }
        entries = [:]
        staged = []
        isStaging = false
        token = nil
        through = .start
    }
}

extension Timestamp {
    fileprivate static func latest(_ first: Timestamp?, _ second: Timestamp?) -> Timestamp? {
        [first, second].compactMap { $0 }.max()
    }
}
