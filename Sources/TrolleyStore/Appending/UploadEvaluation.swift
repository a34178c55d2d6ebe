import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// Decides the verdict on each entry of an upload to a list whose lock is held. Pure: it reads no database.
struct UploadEvaluation {
    let list: LockedList
    let session: Session
    /// The role of the session's account on the list.
    let role: Role
    let ageCap: Int64
    /// The list's remaining space.
    private var remainingQuota: RemainingQuota

    private(set) var results: [UploadResult] = []
    /// The entries to append, with their sequences.
    private(set) var fresh: [ConfirmedEntry] = []
    /// The entries that the list already has under these ids.
    private var known: [EntryID: Known] = [:]
    /// The messages that entries of the upload are about.
    private var messages = KnownMessages()

    private enum Known {
        case entry(ConfirmedEntry)
        /// The entry is so old that only its id and place are retained.
        case forgotten(Place)
    }

    /// The sequence of an entry; of one that was brought back, its first sequence.
    struct Place {
        let entry: EntryID
        let sequence: SequenceNumber
        let madeAt: Timestamp
        let receivedAt: Timestamp

        /// - Parameter row: of `ArchiveSQL.byID`.
        init(row: Row) throws(PostgresError) {
            (entry, sequence, madeAt, receivedAt) = try row.decode(
                (EntryID, SequenceNumber, Timestamp, Timestamp).self)
        }
    }

    init(list: LockedList, session: Session, role: Role, ageCap: Int64, remainingQuota: RemainingQuota) {
        self.list = list
        self.session = session
        self.role = role
        self.ageCap = ageCap
        self.remainingQuota = remainingQuota
    }

    /// Records a live entry of the list that was accepted earlier.
    mutating func note(_ entry: ConfirmedEntry) {
        known[entry.entry.id] = .entry(entry)
    }

    /// Records the messages that entries of the upload are about.
    mutating func note(_ messages: KnownMessages) { self.messages = messages }

    /// By how much the number of the list's messages changes.
    var countOfMessages: Int { fresh.isEmpty ? 0 : messages.more }

    /// Records archived entries of the list with their first sequences. An entry that was brought back is also live, at
    /// another sequence.
    mutating func note(_ entries: [ConfirmedEntry], archivedAt places: [Place]) {
        for place in places {
            // A live entry's content is known, whatever its sequence is now.
            if case .entry = known[place.entry] { continue }
            known[place.entry] = .forgotten(place)
        }
        for entry in entries { known[entry.entry.id] = .entry(entry) }
    }

    /// Decides the verdict on each entry of an upload.
    mutating func evaluate(_ upload: PendingUpload) {
        var sizes = upload.sizes[...]
        for item in upload.upload.items {
            switch item {
            case .rejected(let result): results.append(result)
            case .valid(let entry): results.append(evaluate(entry, bytes: sizes.popFirst() ?? 0))
            }
        }
        if upload.upload.atomic { makeAllOrNothing() }
    }

    /// - Parameter bytes: the bytes of the entry's fields.
    private mutating func evaluate(_ upload: UploadEntry, bytes: Int) -> UploadResult {
        switch known[upload.entry.id] {
        // Repeats the first answer, so that a device that didn't receive it ends in the same state.
        case .entry(let taken) where taken.entry == upload.entry: return .accepted(taken, .duplicate)
        // The content is no longer retained, but the id stays taken for ever.
        case .forgotten(let place):
            return .accepted(
                place.entry, at: place.sequence, madeAt: place.madeAt, receivedAt: place.receivedAt, .duplicate)
        case .entry:
            return .rejected(
                upload.entry.id, .serverRecordChanged, "another entry of this list has this id; make a new one")
        case nil: break
        }
        // What the service has confirmed before was allowed then.
        if upload.origin == nil, let refusal = messages.refusal(of: upload.entry, by: session.account, as: role) {
            return .rejected(upload.entry.id, refusal.code, refusal.detail)
        }
        if let excess = remainingQuota.take(upload.entry.operation, bytes: bytes) {
            return .rejected(upload.entry.id, .quotaExceeded, excess)
        }
        let entry = ConfirmedEntry(
            entry: upload.entry, sequence: list.head.advanced(by: fresh.count + 1),
            author: upload.origin?.author ?? session.account, device: upload.origin?.device ?? session.device,
            madeAt: upload.origin.map { min($0.madeAt, list.now) } ?? list.madeAt(age: upload.age, cap: ageCap),
            receivedAt: list.now)
        fresh.append(entry)
        messages.append(entry)
        known[upload.entry.id] = .entry(entry)
        return .accepted(entry, .applied)
    }

    /// Sets the entries' final sequences, in the order of ``fresh``.
    mutating func setSequences(of entries: [ConfirmedEntry]) {
        let final = Dictionary(entries.map { ($0.entry.id, $0) }, uniquingKeysWith: { first, _ in first })
        results = results.map { result in
            guard result.status != .rejected, let entry = result.id.flatMap({ final[$0] }) else { return result }
            return .accepted(entry, result.status)
        }
    }

    /// If any entry was rejected, rejects the others too.
    private mutating func makeAllOrNothing() {
        guard results.contains(where: { $0.status == .rejected }) else { return }
        // Compares sequences, not verdicts: the second of two equal entries is a duplicate of one that is now rejected.
        let head = list.head
        results = results.map { result in
            guard let sequence = result.sequence, sequence > head else { return result }
            return .rejected(
                result.id, .batchRequestFailed, "another entry of the request was rejected; send it again")
        }
        fresh = []
    }
}
