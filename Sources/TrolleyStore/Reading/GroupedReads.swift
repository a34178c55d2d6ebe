import TrolleyJournal
import TrolleyPostgres

/// Asks for the changes of a list after a sequence. The account may not be on the list.
struct ListQuestion: Hashable, Sendable {
    let account: AccountID
    let list: ListID
    let after: SequenceNumber
}

/// An account's lists, oldest first, each without changes.
struct AccountHeads: Sendable {
    var lists: [ChangeStretch]
    /// The hash of the device's last report, unless the report must be written again.
    let report: [UInt8]?
}

/// Answers concurrent requests for new changes with one statement. Each answer is as fresh as that of a separate
/// statement (``Grouped``), and says whether the account is on the list.
final class GroupedReads: Sendable {
    enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// The database has no answer.
        case nothing
        /// Lists are on several nodes: use a separate statement.
        case impossible
    }

    /// Returns up to this many changes inline; otherwise only that more exist.
    static let few = 32
    private let lists: Grouped<ListQuestion, ChangeStretch>
    private let accounts: Grouped<Session, AccountHeads>
    private let topology: Topology

    init(_ pool: Pool, _ topology: Topology) {
        self.topology = topology
        lists = Grouped { (questions) throws(StoreError) in try await pool.stretches(questions) }
        accounts = Grouped { (sessions) throws(StoreError) in try await pool.heads(sessions) }
    }

    /// - Returns: a stretch without changes when there are more than ``few``.
    func stretch(_ question: ListQuestion) async throws(StoreError) -> Reply<ChangeStretch> {
        try await reply(of: lists, to: question)
    }

    func heads(_ session: Session) async throws(StoreError) -> Reply<AccountHeads> {
        try await reply(of: accounts, to: session)
    }

    private func reply<Question, Answer>(
        of group: Grouped<Question, Answer>, to question: Question
    ) async throws(StoreError) -> Reply<Answer> {
        if try await topology.isDistributed() { return .impossible }
        return try await group.ask(question).map { .answer($0) } ?? .nothing
    }
}

extension Pool {
    fileprivate func stretches(
        _ questions: Set<ListQuestion>
    ) async throws(StoreError) -> [ListQuestion: ChangeStretch] {
        do {
            let questions = Array(questions)
            let rows = try await withConnection { connection in
                try await connection.execute(
                    ChangeSQL.ofMany,
                    [
                        questions.map(\.account), questions.map(\.list), questions.map(\.after), GroupedReads.few,
                    ])
            }
            var stretches: [ListQuestion: ChangeStretch] = [:]
            stretches.reserveCapacity(questions.count)
            for (number, places) in try rows.runs(by: Row.number) {
                let question = questions[number - 1]
                var stretch = try ChangeStretch(question.list, row: rows[places.lowerBound], from: 1)
                stretch.stored = try rows.changes(at: places, column: 6, reader: stretch.reader)
                stretch.isReached = !stretch.stored.isEmpty || stretch.head <= question.after
                stretches[question] = stretch
            }
            return stretches
        } catch { throw StoreError(any: error) }
    }

    fileprivate func heads(_ sessions: Set<Session>) async throws(StoreError) -> [Session: AccountHeads] {
        do {
            let sessions = Array(sessions)
            let rows = try await withConnection { connection in
                try await connection.execute(
                    ChangeSQL.headsOfMany, [sessions.map(\.account), sessions.map(\.device)])
            }
            var heads: [Session: AccountHeads] = [:]
            heads.reserveCapacity(sessions.count)
            for (number, places) in try rows.runs(by: Row.number) {
                var account = AccountHeads(lists: [], report: try rows[places.lowerBound].decode(at: 1))
                for row in rows[places] {
                    guard let list = try row.decode(ListID?.self, at: 2) else { continue }
                    account.lists.append(try ChangeStretch(list, row: row, from: 3))
                }
                heads[sessions[number - 1]] = account
            }
            return heads
        } catch { throw StoreError(any: error) }
    }
}

extension Row {
    /// The number of the question that the row answers, counted from 1.
    fileprivate static func number(_ row: Row) throws(PostgresError) -> Int { try row.decode(at: 0) }
}
