import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension PendingUpload {
    /// Whether every entry is valid, new within the upload, and to be stored.
    var isBatchable: Bool {
        !ids.isEmpty && ids.count == upload.items.count && !upload.validateOnly
            // Of two entries with one id, the second must see the first.
            && (ids.count == 1 || Set(ids).count == ids.count)
    }
}

extension Connection {
    /// Appends, by one statement, the uploads that are new and have nothing in their way: nearly all. The uploads must
    /// be to different lists.
    /// - Returns: the result of each upload; nil for one that needs a separate check, of which nothing is stored.
    /// - Throws: the database's error; then nothing is stored.
    func appendBatch(_ uploads: [PendingUpload]) async throws -> [Appended?] {
        let plain = uploads.filter(\.isBatchable)
        guard !plain.isEmpty else { return uploads.map { _ in nil } }
        let fit = try AppendableLists(try await execute(AppendSQL.batch, plain.batchBinds))
        return uploads.map { upload in fit.lists[upload.list].map { Appended(upload, to: $0.list, people: $0.people) } }
    }
}

/// An entry of an upload, with its position there, counted from 1.
private typealias SentEntry = (upload: PendingUpload, place: Int64, entry: UploadEntry)

extension [PendingUpload] {
    private var sent: [SentEntry] {
        flatMap { upload in upload.upload.validEntries.enumerated().map { (upload, Int64($0 + 1), $1) } }
    }

    /// Binds of `AppendSQL.batch`.
    var batchBinds: [any PostgresEncodable] {
        let sent = sent
        return binds(toCheck: sent) + binds(toStore: sent)
    }

    /// Binds of `AppendSQL.advanceInShard`.
    var bindsToAdvance: [any PostgresEncodable] { binds(toCheck: sent) }

    /// Binds of `AppendSQL.insertInShard`, without the first ones.
    var bindsToInsert: [any PostgresEncodable] {
        let sent = sent
        return naming(sent) + binds(toStore: sent)
    }

    private func binds(toCheck sent: [SentEntry]) -> [any PostgresEncodable] {
        [
            map(\.list), map(\.session.account), map(\.session.device), map { Int64($0.ids.count) },
            first?.quotas.entriesPerList.map { Int64($0) }, map { Int64($0.sizes.reduce(0, +)) },
            first?.quotas.bytesPerList.map { Int64($0) }, first?.accountCheckInterval,
        ] + naming(sent)
    }

    /// The ids that each entry names.
    private func naming(_ sent: [SentEntry]) -> [any PostgresEncodable] {
        [
            sent.map(\.upload.list), sent.map(\.entry.entry.id), sent.map(\.entry.entry.item),
            sent.map(\.entry.entry.after),
        ]
    }

    /// The other columns of each entry.
    private func binds(toStore sent: [SentEntry]) -> [any PostgresEncodable] {
        let entries = sent.map(\.entry.entry)
        return [
            sent.map(\.place), entries.map(\.operation.rawValue), flatMap(\.columns), entries.map(\.batch),
            entries.map(\.cause.rawValue), entries.map(\.reverts), entries.map(\.deviceSequence),
            sent.map { Swift.min(Swift.max($0.entry.age, 0), $0.upload.ageCap) },
        ]
    }
}
