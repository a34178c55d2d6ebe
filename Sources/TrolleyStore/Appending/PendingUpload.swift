import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// An upload, and for whom and where.
struct PendingUpload: Sendable {
    let upload: UploadBody
    let list: ListID
    let session: Session
    /// Milliseconds that an entry may be old at the most.
    let ageCap: Int64
    /// Entries in the list's journal at the most; nil: any number.
    let quota: Int?
    /// The ids of its valid entries.
    let ids: [EntryID]

    init(_ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64, quota: Int? = nil) {
        self.upload = upload
        self.list = list
        self.session = session
        self.ageCap = ageCap
        self.quota = quota
        ids = upload.validEntries.map(\.entry.id)
    }

    /// The items that its valid entries name.
    var namedItems: [ItemID] { upload.validEntries.flatMap { [$0.entry.item, $0.entry.after].compactMap(\.self) } }

    /// The verdicts on it before any was given.
    /// - Parameters:
    ///   - taken: what is live under its ids.
    ///   - count: entries in the list's live journal, where they had to be counted.
    func verdicts(in list: LockedList, taken: [TakenID], count: Int64?) -> Verdicts {
        // There is an entry in each place of the stream at the most.
        let room = quota.map { Room(quota: $0, taken: count ?? list.head.rawValue) }
        var verdicts = Verdicts(list: list, session: session, ageCap: ageCap, room: room)
        for taken in taken { verdicts.note(taken.entry, isInThisList: taken.list == self.list) }
        return verdicts
    }
}

/// An entry that was accepted earlier and is live, in whichever list.
struct TakenID {
    let entry: ConfirmedEntry
    let list: ListID

    /// - Parameter row: of `AppendSQL.taken`.
    init(row: Row) throws(PostgresError) {
        entry = try ConfirmedEntry(row: row)
        list = try row.decode(at: 14)
    }
}

/// An id that an archived entry has taken.
struct ArchivedID {
    let list: ListID
    let place: Verdicts.Place

    /// - Parameter row: of `ArchiveSQL.byID`.
    init(row: Row) throws(PostgresError) {
        let (list, entry, sequence, madeAt, receivedAt) = try row.decode(
            (ListID, EntryID, SequenceNumber, Timestamp, Timestamp).self)
        self.list = list
        place = Verdicts.Place(entry: entry, sequence: sequence, madeAt: madeAt, receivedAt: receivedAt)
    }
}

extension UploadBody {
    var validEntries: [UploadEntry] {
        items.compactMap { if case .valid(let entry) = $0 { entry } else { nil } }
    }
}
