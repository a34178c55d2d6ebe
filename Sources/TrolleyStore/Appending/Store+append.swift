public import TrolleyJournal
public import TrolleyWire

/// What became of an upload.
public struct Appended: Sendable {
    /// One an entry, in the order of the upload.
    public var results: [UploadResult]
    /// The list's newest change before.
    public var previous: SequenceNumber
    /// The list's newest change.
    public var head: SequenceNumber
    /// When that was received; nil when it was there before.
    public var mark: Timestamp?
    public var epoch: UUIDBits
    /// Who was on the list at that moment: nobody else is to hear of it.
    public var people: Set<AccountID>
}

extension Store {
    /// Appends what is new of an upload to a list's journal. Each entry gets its verdict; what is `applied` or
    /// `duplicate` is committed.
    /// - Parameters:
    ///   - ageCap: milliseconds that an entry may be old at the most.
    ///   - quotas: how much the list and its owner may have.
    /// - Throws: `.notOnList`, `.gone`, `.readOnly`, `.busy`; then nothing was appended.
    public func append(
        _ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64,
        quotas: Quotas = .none
    ) async throws(StoreError) -> Appended {
        do {
            let appended = try await appender.append(
                PendingUpload(upload, to: list, by: session, ageCap: ageCap, quotas: quotas))
            if appended.mark != nil { writes.noteSuccess() }
            return appended
        } catch {
            writes.note(error)
            throw error
        }
    }
}
