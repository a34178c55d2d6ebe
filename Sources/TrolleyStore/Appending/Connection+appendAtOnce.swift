import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension PendingUpload {
    /// Whether everything in it is valid, new to the others of it, and to be stored.
    fileprivate var isPlain: Bool {
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
        var done: [ListID: Row] = [:]
        for row in try await execute(AppendSQL.atOnce, plain.binds) { done[try row.decode(at: 0)] = row }
        return try uploads.map { upload in
            guard let row = done[upload.list] else { return nil }
            let (role, permission) = try (row.decode(Role.self, at: 4), row.decode(Permission.self, at: 5))
            let list = try LockedList(upload.list, row: row, from: 1, role: role, permission: permission)
            // The statement has seen that there is room.
            var verdicts = upload.verdicts(in: list, taken: [], count: 0, bytes: 0, bytesOfAccount: nil)
            verdicts.judge(upload)
            return Appended(
                results: verdicts.results, previous: list.head, head: list.head.advanced(by: verdicts.fresh.count),
                mark: list.now, epoch: list.epoch, people: Set(try row.decode([AccountID].self, at: 6)))
        }
    }
}

extension [PendingUpload] {
    /// Of `AppendSQL.atOnce`.
    var binds: [any PostgresEncodable] {
        let sent = flatMap { upload in upload.upload.validEntries.enumerated().map { (upload, place: $0 + 1, $1) } }
        let entries = sent.map(\.2.entry)
        return [
            map(\.list), map(\.session.account), map(\.session.device), map { Int64($0.ids.count) },
            first?.quotas.entriesPerList.map { Int64($0) },
            sent.map(\.0.list), sent.map { Int64($0.place) }, entries.map(\.id), entries.map(\.operation.rawValue),
            entries.map(\.item), entries.map(\.after), flatMap(\.columns), entries.map(\.batch),
            entries.map(\.cause.rawValue), entries.map(\.reverts), entries.map(\.deviceSequence),
            sent.map { Swift.min(Swift.max($2.age, 0), $0.ageCap) },
            map { Int64($0.sizes.reduce(0, +)) }, first?.quotas.bytesPerList.map { Int64($0) }, first?.bytesOfStep,
        ]
    }
}
