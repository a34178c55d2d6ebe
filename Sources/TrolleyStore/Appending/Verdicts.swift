import TrolleyJournal
import TrolleyWire

/// Decides, entry by entry, what becomes of an upload to a list whose lock is held. Pure: it reads no database.
struct Verdicts {
    let list: LockedList
    let session: Session
    let ageCap: Int64
    /// How many entries the list has room for; nil: no end of them.
    private var room: Room?

    private(set) var results: [UploadResult] = []
    /// The entries to append, with their places.
    private(set) var fresh: [ConfirmedEntry] = []
    /// What stands under an id already; nil: an entry of another list.
    private var known: [EntryID: ConfirmedEntry?] = [:]

    init(list: LockedList, session: Session, ageCap: Int64, room: Room? = nil) {
        self.list = list
        self.session = session
        self.ageCap = ageCap
        self.room = room
    }

    /// Takes note of an entry that was accepted earlier.
    /// - Parameter isFirst: whether it stands where it first stood; one that was brought back stands elsewhere too.
    mutating func note(_ entry: ConfirmedEntry, isInThisList: Bool, isFirst: Bool) {
        let isForeign = if case .some(.none) = known[entry.entry.id] { true } else { false }
        if known[entry.entry.id] == nil || isInThisList && (isFirst || isForeign) {
            known.updateValue(isInThisList ? entry : nil, forKey: entry.entry.id)
        }
    }

    mutating func judge(_ item: UploadBody.Item) {
        switch item {
        case .rejected(let result): results.append(result)
        case .valid(let upload): results.append(judge(upload))
        }
    }

    private mutating func judge(_ upload: UploadEntry) -> UploadResult {
        if let taken = known[upload.entry.id] {
            // The first answer again, so that a device whose answer was lost comes out where it would have.
            if let taken, taken.entry == upload.entry { return .accepted(taken, .duplicate) }
            return .rejected(upload.entry.id, .serverRecordChanged, "another entry has this id; make a new one")
        }
        if let quota = room?.take(upload.entry.operation) {
            return .rejected(
                upload.entry.id, .quotaExceeded,
                "a list may have \(quota) entries; delete items, and wait until they are compressed")
        }
        let entry = ConfirmedEntry(
            entry: upload.entry, sequence: list.head.advanced(by: fresh.count + 1), author: session.account,
            device: session.device, madeAt: list.now.advanced(byMilliseconds: -min(max(upload.age, 0), ageCap)),
            receivedAt: list.now)
        fresh.append(entry)
        known[upload.entry.id] = entry
        return .accepted(entry, .applied)
    }

    /// Tells the entries' final places, in the order of ``fresh``.
    mutating func settle(_ entries: [ConfirmedEntry]) {
        let settled = Dictionary(entries.map { ($0.entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        results = results.map { result in
            guard result.status != .rejected, let entry = result.id.flatMap({ settled[$0] }) else { return result }
            return .accepted(entry, result.status)
        }
    }

    /// If any entry was rejected, takes the others back too.
    mutating func makeAllOrNothing() {
        guard results.contains(where: { $0.status == .rejected }) else { return }
        // By place, not by status: the second of two equal entries is a duplicate of one that is now taken back.
        let head = list.head
        results = results.map { result in
            guard let sequence = result.sequence, sequence > head else { return result }
            return .rejected(
                result.id, .batchRequestFailed, "another entry of the request was rejected; send it again")
        }
        fresh = []
    }
}
