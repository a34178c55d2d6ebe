package import TrolleyJournal
package import TrolleyWire

extension Store {
    /// Appends the new entries of an upload to a list's journal. Each entry gets a verdict. Entries with the verdict
    /// `applied` or `duplicate` are committed.
    /// - Parameters:
    ///   - ageCap: the largest age of an entry, in milliseconds.
    ///   - quotas: the quotas of the list and its owner.
    ///   - plannedAt: the list's head when the entries were planned; nil: not checked. If the device has since appended entries
    ///     with their numbers or higher ones, nothing is appended.
    /// - Throws: `.notOnList`, `.gone`, `.readOnly`, `.busy`, `.overtaken`; then nothing was appended.
    package func append(
        _ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64,
        quotas: Quotas = .none, plannedAt: SequenceNumber? = nil
    ) async throws(StoreError) -> Appended {
        do {
            let appended = try await appender.append(
                PendingUpload(
                    upload, to: list, by: session, ageCap: ageCap, quotas: quotas, plannedAt: plannedAt))
            if appended.mark != nil { writes.noteSuccess() }
            return appended
        } catch {
            writes.note(error)
            throw error
        }
    }
}
