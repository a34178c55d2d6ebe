import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension PendingUpload {
    /// Whether everything in it is valid, new to the others of it, and to be stored.
    var isPlain: Bool {
        !ids.isEmpty && ids.count == upload.items.count && !upload.validateOnly
            // The second of two entries with one id must see the first.
            && (ids.count == 1 || Set(ids).count == ids.count)
    }
}

extension Connection {
    /// Appends with one statement what is new and finds nothing in its way, which is nearly everything. The uploads are to
    /// different lists.
    /// - Returns: for each upload what became of it; nil for one that needs a closer look. Nothing of it is stored then.
    /// - Throws: what the database says; then nothing is stored of any.
    func appendAtOnce(_ uploads: [PendingUpload]) async throws -> [Appended?] {
        let plain = uploads.filter(\.isPlain)
        guard !plain.isEmpty else { return uploads.map { _ in nil } }
        let fit = try FittingLists(try await execute(AppendSQL.atOnce, plain.bindsAtOnce))
        return uploads.map { upload in fit.lists[upload.list].map { Appended(upload, to: $0.list, people: $0.people) } }
    }
}

/// An entry of an upload, and its place there, counted from 1.
private typealias SentEntry = (upload: PendingUpload, place: Int64, entry: UploadEntry)

extension [PendingUpload] {
    private var sent: [SentEntry] {
        flatMap { upload in upload.upload.validEntries.enumerated().map { (upload, Int64($0 + 1), $1) } }
    }

    /// Of `AppendSQL.atOnce`.
    var bindsAtOnce: [any PostgresEncodable] {
        let sent = sent
        return binds(toCheck: sent) + binds(toStore: sent)
    }

    /// Of `AppendSQL.advanceInShard`.
    var bindsToAdvance: [any PostgresEncodable] { binds(toCheck: sent) }

    /// Of `AppendSQL.insertInShard`, but for the first.
    var bindsToInsert: [any PostgresEncodable] {
        let sent = sent
        return naming(sent) + binds(toStore: sent)
    }

    private func binds(toCheck sent: [SentEntry]) -> [any PostgresEncodable] {
        [
            map(\.list), map(\.session.account), map(\.session.device), map { Int64($0.ids.count) },
            first?.quotas.entriesPerList.map { Int64($0) }, map { Int64($0.sizes.reduce(0, +)) },
            first?.quotas.bytesPerList.map { Int64($0) }, first?.bytesOfStep,
        ] + naming(sent)
    }

    /// What each entry is about.
    private func naming(_ sent: [SentEntry]) -> [any PostgresEncodable] {
        [
            sent.map(\.upload.list), sent.map(\.entry.entry.id), sent.map(\.entry.entry.item),
            sent.map(\.entry.entry.after),
        ]
    }

    /// What else each entry has.
    private func binds(toStore sent: [SentEntry]) -> [any PostgresEncodable] {
        let entries = sent.map(\.entry.entry)
        return [
            sent.map(\.place), entries.map(\.operation.rawValue), flatMap(\.columns), entries.map(\.batch),
            entries.map(\.cause.rawValue), entries.map(\.reverts), entries.map(\.deviceSequence),
            sent.map { Swift.min(Swift.max($0.entry.age, 0), $0.upload.ageCap) },
        ]
    }
}
