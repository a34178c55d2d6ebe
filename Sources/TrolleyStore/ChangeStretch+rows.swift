import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// How stretches are read from a database, be it the primary or a replica.

extension Pool {
    /// - Parameters:
    ///   - query: of ``ChangeSQL/ofList`` or ``ChangeSQL/ofAccount``.
    ///   - limit: of that query.
    func stretches(
        _ query: Query, after: [ListID: SequenceNumber], limit: Int
    ) async throws -> [ChangeStretch] {
        let known = after.filter { $0.value > .start }
        let marks = Query.execute(ChangeSQL.marks, [Array(known.keys), Array(known.values)])
        let answers = try await withConnection { connection in
            try await connection.pipeline(known.isEmpty ? [query] : [query, marks])
        }
        var stretches = try [ChangeStretch](answers[0])
        var times: [ListID: Timestamp] = [:]
        for row in answers.dropFirst().joined() {
            let (list, time) = try row.decode((ListID, Timestamp).self)
            times[list] = time
        }
        for index in stretches.indices {
            stretches[index].mark = times[stretches[index].list]
            stretches[index].isComplete = stretches[index].isReached && stretches[index].changes.count < limit
        }
        return stretches
    }

    func absence(of account: AccountID, from list: ListID) async throws -> StoreError {
        try await withConnection { try await $0.absence(of: account, from: list) }
    }
}

extension Position {
    /// Behind everything.
    static var nowhere: Position { Position(head: .start, epoch: UUIDBits(high: 0, low: 0)) }
}

extension ChangeStretch {
    var position: Position { Position(head: head, epoch: epoch) }
}

extension [ChangeStretch] {
    /// Whether these are the account's lists, each as far as the primary is and as far as its token.
    func hasReached(_ primary: [ListID: Position], after: [ListID: SequenceNumber]) -> Bool {
        count == primary.count
            && allSatisfy { stretch in
                guard let position = primary[stretch.list] else { return false }
                return stretch.position.hasReached(position) && stretch.head >= after[stretch.list] ?? .start
            }
    }
}

extension [ChangeStretch] {
    /// Reads the rows of ``ChangeSQL``: those of a list stand together.
    init(_ rows: Rows) throws(PostgresError) {
        self = []
        for row in rows {
            let (list, head, epoch) = try row.decode((ListID, SequenceNumber, PostgresUUID).self)
            if last?.list != list {
                let epoch = UUIDBits(high: epoch.high, low: epoch.low)
                let isReached = try row.decode(Bool.self, at: 18)
                let trailFrom = try row.decode(SequenceNumber.self, at: 19)
                append(
                    ChangeStretch(
                        list: list, head: head, epoch: epoch, trailFrom: trailFrom, changes: [], isReached: isReached))
            }
            if let change = try Change(row: row) {
                self[count - 1].changes.append(change)
                self[count - 1].times.append(try row.decode(Timestamp.self, at: 16))
            }
        }
    }
}

extension Change {
    /// nil where the row has no change.
    fileprivate init?(row: Row) throws(PostgresError) {
        guard let sequence = try row.decode(SequenceNumber?.self, at: 3) else { return nil }
        if let event = try row.decode(String?.self, at: 17) {
            self = try Change(column: event)
        } else {
            self.init(sequence: sequence, body: .entry(try ConfirmedEntry(row: row, from: 3)))
        }
    }
}
