public import TrolleyJournal

extension ListCopy {
    /// The uploads that create the copy, in order.
    /// - Parameter limit: the maximum number of entries in an upload.
    public func uploads(limit: Int) -> [UploadRequest] {
        let limit = max(limit, 1)
        return stride(from: 0, to: entries.count, by: limit).map { first in
            UploadRequest(entries: entries[first...].prefix(limit).map { UploadEntry(entry: $0, age: 0) })
        }
    }
}
