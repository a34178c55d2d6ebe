public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// What became of an upload.
public struct Appended: Sendable {
    /// One an entry, in the order of the upload.
    public var results: [UploadResult]
    /// The list's newest change.
    public var head: SequenceNumber
    public var epoch: UUIDBits
}

extension Store {
    /// Appends what is new of an upload to a list's journal. Each entry gets its verdict; what is `applied` or
    /// `duplicate` is committed.
    /// - Parameter ageCap: milliseconds that an entry may be old at the most.
    /// - Throws: `.notOnList`, `.gone`, `.readOnly`; then nothing was appended.
    public func append(
        _ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64
    ) async throws(StoreError) -> Appended {
        let ids = upload.items.compactMap { item in if case .valid(let upload) = item { upload.entry.id } else { nil } }
        return try await transaction { connection in
            let answers = try await connection.pipeline([
                .execute(ListSQL.lock, [list, session.account]),
                .execute(MemberSQL.of, [list, session.account]),
                .execute(EntrySQL.byID, [ids]),
            ])
            guard let locked = try LockedList(list, lock: answers[0], member: answers[1]) else {
                throw try await connection.absence(of: session.account, from: list)
            }
            guard locked.permission == .readWrite else { throw StoreError.readOnly }

            var verdicts = Verdicts(list: locked, session: session, ageCap: ageCap)
            for row in answers[2] {
                verdicts.note(try ConfirmedEntry(row: row), isInThisList: try row.decode(ListID.self, at: 14) == list)
            }
            for item in upload.items { verdicts.judge(item) }
            if upload.atomic { verdicts.makeAllOrNothing() }

            let fresh = upload.validateOnly ? [] : verdicts.fresh
            let head = locked.head.advanced(by: fresh.count)
            if !fresh.isEmpty {
                _ = try await connection.pipeline([
                    .execute(EntrySQL.insert, EntrySQL.binds(fresh, list: locked, session: session)),
                    .execute(ListSQL.advance, [list, head]),
                ])
            }
            return Appended(results: verdicts.results, head: head, epoch: locked.epoch)
        }
    }
}

extension EntrySQL {
    fileprivate static func binds(
        _ entries: [ConfirmedEntry], list: LockedList, session: Session
    ) -> [any PostgresEncodable] {
        [
            list.id, session.account, session.device, list.now,
            entries.map(\.sequence), entries.map(\.entry.id), entries.map(\.entry.operation.rawValue),
            entries.map(\.entry.item), entries.map(\.entry.after), entries.map(\.entry.fields.column),
            entries.map(\.entry.batch), entries.map(\.entry.cause.rawValue), entries.map(\.entry.reverts),
            entries.map(\.entry.deviceSequence), entries.map(\.madeAt),
        ]
    }
}

extension Fields {
    /// nil without any field.
    fileprivate var column: PostgresJSON? {
        if isEmpty { return nil }
        var writer = JSONWriter()
        write(to: &writer)
        return PostgresJSON(String(decoding: writer.bytes, as: UTF8.self))
    }
}
