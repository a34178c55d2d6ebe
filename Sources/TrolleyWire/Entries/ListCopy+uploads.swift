public import TrolleyJournal

extension ListCopy {
    /// A copy of a list of a file, for another owner.
    /// - Parameter attempt: 0; a higher number where the id that it gives is taken.
    public init(of source: ImportDocument.List, for owner: AccountID, attempt: Int) {
        self.init(
            of: source.state, messages: source.messages, names: source.names, from: source.id, for: owner,
            attempt: attempt)
    }

    /// The uploads that create the copy, in order.
    /// - Parameter limit: the maximum number of entries in an upload.
    public func uploads(limit: Int) -> [UploadRequest] {
        let limit = max(limit, 1)
        return stride(from: 0, to: entries.count, by: limit).map { first in
            UploadRequest(entries: entries[first...].prefix(limit).map { UploadEntry(entry: $0, age: 0) })
        }
    }
}
