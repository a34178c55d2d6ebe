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
