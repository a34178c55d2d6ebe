import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension PendingUpload {
    /// Whether every entry is valid, new within the upload, and to be stored.
    var isBatchable: Bool {
        !ids.isEmpty && ids.count == upload.items.count && !upload.validateOnly
            // Needs the device's entries since then.
            && plannedAt == nil
            // Of two entries with one id, the second must see the first.
            && (ids.count == 1 || Set(ids).count == ids.count)
            // Messages are counted, and the messages that entries are about are looked up.
            && !entries.contains { $0.entry.operation.concernsMessages }
            // The list's row has its name and colour, too.
            && !entries.contains { $0.entry.operation.concernsList }
            // The statement gives all entries of an upload their sender.
            && !entries.contains { $0.origin != nil }
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

/// An entry of an upload to a list, with its position in the upload, counted from 1.
private struct SentEntry {
    let list: ListID
    let position: Int64
    let entry: JournalEntry
    /// The age, at most the upload's ``PendingUpload/ageCap``.
    let age: Int64
}

extension [PendingUpload] {
    private var sent: [SentEntry] {
        var sent: [SentEntry] = []
        sent.reserveCapacity(reduce(0) { $0 + $1.entries.count })
        for upload in self {
            for (index, entry) in upload.entries.enumerated() {
                sent.append(
                    SentEntry(
                        list: upload.list, position: Int64(index + 1), entry: entry.entry,
                        age: Swift.min(Swift.max(entry.age, 0), upload.ageCap)))
            }
        }
        return sent
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
            first?.quotas.entriesPerList.map { Int64($0) }, map(\.size),
            first?.quotas.bytesPerList.map { Int64($0) }, first?.accountCheckInterval,
        ] + naming(sent)
    }

    /// The ids that each entry names.
    private func naming(_ sent: [SentEntry]) -> [any PostgresEncodable] {
        [
            sent.map(\.list), sent.map(\.entry.id), sent.map(\.entry.item), sent.map(\.entry.after),
        ]
    }

    /// The other columns of each entry.
    private func binds(toStore sent: [SentEntry]) -> [any PostgresEncodable] {
        [
            sent.map(\.position), sent.map(\.entry.operation.rawValue), flatMap(\.columns), sent.map(\.entry.batch),
            sent.map(\.entry.cause.rawValue), sent.map(\.entry.reverts), sent.map(\.entry.deviceSequence),
            sent.map(\.age),
        ]
    }
}
