package import TrolleyJournal
package import TrolleyWire

/// The result of an upload.
package struct Appended: Sendable {
    /// One result for each entry, in the order of the upload.
    package var results: [UploadResult]
    /// The list's head before the upload.
    package var previous: SequenceNumber
    /// The list's head after the upload.
    package var head: SequenceNumber
    /// When the newest entry was received; nil when nothing was appended.
    package var mark: Timestamp?
    package var epoch: UUIDBits
    /// The people on the list at that moment; only they may be notified.
    package var people: Set<AccountID>
}

extension Store {
    /// Appends the new entries of an upload to a list's journal. Each entry gets a verdict. Entries with the verdict
    /// `applied` or `duplicate` are committed.
    /// - Parameters:
    ///   - ageCap: the largest age of an entry, in milliseconds.
    ///   - quotas: the quotas of the list and its owner.
    /// - Throws: `.notOnList`, `.gone`, `.readOnly`, `.busy`; then nothing was appended.
    package func append(
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
