import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// Decides, entry by entry, what becomes of an upload to a list whose lock is held. Pure: it reads no database.
struct Verdicts {
    let list: LockedList
    let session: Session
    let ageCap: Int64
    /// What the list has room for.
    private var room: Room

    private(set) var results: [UploadResult] = []
    /// The entries to append, with their places.
    private(set) var fresh: [ConfirmedEntry] = []
    /// What stands in the list under an id already.
    private var known: [EntryID: Known] = [:]

    private enum Known {
        case entry(ConfirmedEntry)
        /// So long ago that the entry itself is no longer retained.
        case forgotten(Place)
    }

    /// Where an entry stands, or stood first.
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

    init(list: LockedList, session: Session, ageCap: Int64, room: Room) {
        self.list = list
        self.session = session
        self.ageCap = ageCap
        self.room = room
    }

    /// Takes note of an entry of this list that was accepted earlier, and is live.
    mutating func note(_ entry: ConfirmedEntry) {
        known[entry.entry.id] = .entry(entry)
    }

    /// Takes note of entries of this list that are archived, where each first stood: one that was brought back is live too,
    /// elsewhere.
    mutating func note(_ entries: [ConfirmedEntry], archivedAt places: [Place]) {
        for place in places {
            // One that is live tells its content, wherever it stands now.
            if case .entry = known[place.entry] { continue }
            known[place.entry] = .forgotten(place)
        }
        for entry in entries { known[entry.entry.id] = .entry(entry) }
    }

    /// What becomes of an upload, entry by entry.
    mutating func judge(_ upload: PendingUpload) {
        var sizes = upload.sizes[...]
        for item in upload.upload.items {
            switch item {
            case .rejected(let result): results.append(result)
            case .valid(let entry): results.append(judge(entry, bytes: sizes.popFirst() ?? 0))
            }
        }
        if upload.upload.atomic { makeAllOrNothing() }
    }

    /// - Parameter bytes: of its fields.
    private mutating func judge(_ upload: UploadEntry, bytes: Int) -> UploadResult {
        switch known[upload.entry.id] {
        // The first answer again, so that a device whose answer was lost comes out where it would have.
        case .entry(let taken) where taken.entry == upload.entry: return .accepted(taken, .duplicate)
        // What it was nobody knows any more; that it was there is known for ever.
        case .forgotten(let place):
            return .accepted(
                place.entry, at: place.sequence, madeAt: place.madeAt, receivedAt: place.receivedAt, .duplicate)
        case .entry:
            return .rejected(
                upload.entry.id, .serverRecordChanged, "another entry of this list has this id; make a new one")
        case nil: break
        }
        if let excess = room.take(upload.entry.operation, bytes: bytes) {
            return .rejected(upload.entry.id, .quotaExceeded, excess)
        }
        let entry = ConfirmedEntry(
            entry: upload.entry, sequence: list.head.advanced(by: fresh.count + 1), author: session.account,
            device: session.device, madeAt: list.now.advanced(byMilliseconds: -min(max(upload.age, 0), ageCap)),
            receivedAt: list.now)
        fresh.append(entry)
        known[upload.entry.id] = .entry(entry)
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
    private mutating func makeAllOrNothing() {
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
