public import TrolleyJournal

/// `POST /v1/lists/{id}/entries`, as a device writes it. The service reads it entry by entry, see ``UploadBody``.
public struct UploadRequest: Hashable, Sendable {
    public var entries: [UploadEntry]
    /// Whether to accept all entries or none.
    public var atomic: Bool
    /// Whether only to return the verdicts, without storing anything.
    public var validateOnly: Bool

    public init(entries: [UploadEntry], atomic: Bool = false, validateOnly: Bool = false) {
        self.entries = entries
        self.atomic = atomic
        self.validateOnly = validateOnly
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 64 + 256 * entries.count)
        writer.object { writer in
            if atomic {
                writer.member("atomic", true)
            }
            if validateOnly {
                writer.member("validateOnly", true)
            }
            writer.member("entries", entries)
        }
        return writer.bytes
    }
}

/// The result for one entry of an upload.
public struct UploadResult: Hashable, Sendable {
    public enum Status: String, CaseIterable, Hashable, Sendable {
        /// The entry is in the journal.
        case applied
        /// The entry was in the journal already, with the same content. This is the first answer again.
        case duplicate
        /// The entry is not in the journal; `code` gives the reason.
        case rejected
    }

    /// nil when the entry was too malformed to have an id.
    public var id: EntryID?
    public var status: Status
    /// The entry's sequence; nil when it was rejected.
    public var sequence: SequenceNumber?
    public var madeAt: Timestamp?
    public var receivedAt: Timestamp?
    /// Why the entry was rejected.
    public var code: ProblemCode?
    public var detail: String?

    public static func accepted(_ entry: ConfirmedEntry, _ status: Status) -> UploadResult {
        .accepted(
            entry.entry.id, at: entry.sequence, madeAt: entry.madeAt, receivedAt: entry.receivedAt, status)
    }

    public static func accepted(
        _ id: EntryID, at sequence: SequenceNumber, madeAt: Timestamp, receivedAt: Timestamp, _ status: Status
    ) -> UploadResult {
        UploadResult(id: id, status: status, sequence: sequence, madeAt: madeAt, receivedAt: receivedAt)
    }

    public static func rejected(_ id: EntryID?, _ code: ProblemCode, _ detail: String) -> UploadResult {
        UploadResult(id: id, status: .rejected, code: code, detail: detail)
    }
}

public struct UploadResponse: Hashable, Sendable, Codable {
    /// One result per entry, in the order of the request.
    public var results: [UploadResult]
    /// `partialFailure` when any entry was rejected.
    public var code: ProblemCode?
    /// The change token for all changes up to and including this upload. Only a device that had all earlier changes may
    /// replace its own token by it.
    public var token: String

    public init(results: [UploadResult], token: String) {
        self.results = results
        self.code = results.contains { $0.status == .rejected } ? .partialFailure : nil
        self.token = token
    }
}
