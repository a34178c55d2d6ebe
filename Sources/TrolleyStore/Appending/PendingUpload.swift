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
    /// How much the list and its owner may have.
    let quotas: Quotas
    /// The fields of its valid entries, as they are stored.
    let columns: [PostgresJSON?]
    /// The ids of its valid entries.
    let ids: [EntryID]

    init(_ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64, quotas: Quotas = .none) {
        self.upload = upload
        self.list = list
        self.session = session
        self.ageCap = ageCap
        self.quotas = quotas
        ids = upload.validEntries.map(\.entry.id)
        columns = upload.validEntries.map(\.entry.fields.column)
    }

    /// What an account has in all is looked up when a list of its steps over a multiple of this.
    static let bytesOfStep: Int64 = 64 << 10

    /// The same upload, and what its list's owner has in all doesn't matter.
    var withoutAccountQuota: PendingUpload {
        var quotas = quotas
        quotas.bytesPerAccount = nil
        return PendingUpload(upload, to: list, by: session, ageCap: ageCap, quotas: quotas)
    }

    /// nil when accounts have no quota.
    var bytesOfStep: Int64? { quotas.bytesPerAccount == nil ? nil : Self.bytesOfStep }

    /// Whether it takes a list over a multiple of ``bytesOfStep``, where accounts have a quota.
    /// - Parameter bytes: what the list has.
    func isStep(from bytes: Int64) -> Bool {
        bytesOfStep.map { bytes / $0 != (bytes + Int64(sizes.reduce(0, +))) / $0 } ?? false
    }

    /// Bytes of each valid entry's fields.
    var sizes: [Int] { columns.map { $0?.text.utf8.count ?? 0 } }

    /// The items that its valid entries name.
    var namedItems: [ItemID] { upload.validEntries.flatMap { [$0.entry.item, $0.entry.after].compactMap(\.self) } }

    /// The verdicts on it before any was given.
    /// - Parameters:
    ///   - taken: what is live in the list under its ids.
    ///   - count: entries in the list's live journal, where they had to be counted.
    ///   - bytes: of their fields.
    ///   - bytesOfAccount: of all lists that the list's owner has; nil where that need not be looked at.
    func verdicts(
        in list: LockedList, taken: [ConfirmedEntry], count: Int64?, bytes: Int64, bytesOfAccount: Int64?
    ) -> Verdicts {
        // There is an entry in each place of the stream at the most.
        let room = Room(
            quotas, entries: count ?? list.head.rawValue, bytes: bytes, bytesOfAccount: bytesOfAccount)
        var verdicts = Verdicts(list: list, session: session, ageCap: ageCap, room: room)
        for entry in taken { verdicts.note(entry) }
        return verdicts
    }
}

extension UploadBody {
    var validEntries: [UploadEntry] {
        items.compactMap { if case .valid(let entry) = $0 { entry } else { nil } }
    }
}
