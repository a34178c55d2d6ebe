import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// An upload with its list and its sender.
struct PendingUpload: Sendable {
    let upload: UploadBody
    let list: ListID
    let session: Session
    /// The largest age of an entry, in milliseconds.
    let ageCap: Int64
    /// The quotas of the list and its owner.
    let quotas: Quotas
    /// The list's head when the entries were planned: refused if the device has since taken their numbers. nil: not checked.
    let plannedAt: SequenceNumber?
    /// The valid entries.
    let entries: [UploadEntry]
    /// The fields of its valid entries, encoded as they are stored.
    let columns: [PostgresJSON?]
    /// Bytes of each valid entry's fields.
    let sizes: [Int]
    /// The ids of its valid entries.
    let ids: [EntryID]

    init(
        _ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64, quotas: Quotas = .none,
        plannedAt: SequenceNumber? = nil
    ) {
        self.upload = upload
        self.list = list
        self.session = session
        self.ageCap = ageCap
        self.quotas = quotas
        self.plannedAt = plannedAt
        entries = upload.items.compactMap { if case .valid(let entry) = $0 { entry } else { nil } }
        ids = entries.map(\.entry.id)
        columns = entries.map(\.entry.fields.column)
        sizes = columns.map { $0?.text.utf8.count ?? 0 }
    }

    /// Bytes of all valid entries' fields.
    var size: Int64 { Int64(sizes.reduce(0, +)) }

    /// The total of an account is checked when one of its lists crosses a multiple of this many bytes.
    static let accountCheckInterval: Int64 = 64 << 10

    /// The same upload without a check of its owner's total.
    var withoutAccountQuota: PendingUpload {
        var quotas = quotas
        quotas.bytesPerAccount = nil
        return PendingUpload(
            upload, to: list, by: session, ageCap: ageCap, quotas: quotas, plannedAt: plannedAt)
    }

    /// nil when accounts have no quota.
    var accountCheckInterval: Int64? { quotas.bytesPerAccount == nil ? nil : Self.accountCheckInterval }

    /// Whether the upload takes a list across a multiple of ``accountCheckInterval``; false where accounts have no quota.
    /// - Parameter bytes: the list's present bytes.
    func crossesAccountCheck(from bytes: Int64) -> Bool {
        accountCheckInterval.map { bytes / $0 != (bytes + size) / $0 } ?? false
    }

    /// The items that its valid entries name.
    var namedItems: [ItemID] { entries.flatMap { [$0.entry.item, $0.entry.after].compactMap(\.self) } }

    /// The messages that its valid entries are, or are about. After a loss, a message may come later than its deletion.
    var namedMessages: [EntryID] {
        entries.compactMap { $0.entry.operation == .message ? $0.entry.id : $0.entry.message }
    }

    /// Makes the verdicts for this upload, before any is given.
    /// - Parameters:
    ///   - taken: the list's live entries that have ids of this upload.
    ///   - count: the number of the list's live entries.
    ///   - bytes: the bytes of the list's fields.
    ///   - bytesOfAccount: the bytes of all lists of the owner; nil where they need no check.
    func evaluation(
        in list: LockedList, as role: Role, taken: [ConfirmedEntry], count: Int64, bytes: Int64, bytesOfAccount: Int64?
    ) -> UploadEvaluation {
        let remainingQuota = RemainingQuota(quotas, entries: count, bytes: bytes, bytesOfAccount: bytesOfAccount)
        var evaluation = UploadEvaluation(
            list: list, session: session, role: role, ageCap: ageCap, remainingQuota: remainingQuota)
        for entry in taken { evaluation.note(entry) }
        return evaluation
    }
}
