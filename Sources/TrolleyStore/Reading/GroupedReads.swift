import TrolleyJournal
import TrolleyPostgres

/// What is new after a place of a list, asked by somebody who may be on it.
struct ListQuestion: Hashable, Sendable {
    let account: AccountID
    let list: ListID
    let after: SequenceNumber
}

/// An account's lists, oldest first, each as a stretch that begins at its head.
struct AccountHeads: Sendable {
    var lists: [ChangeStretch]
    /// The hash of what the device that asks has said last of itself, if that need not be written again yet.
    let report: [UInt8]?
}

/// Answers 'anything new?' for all who ask at the same time with one statement. Each answer is as fresh as one that was
/// asked alone (``Grouped``), and says by itself whether its asker is on the list.
final class GroupedReads: Sendable {
    enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// The database has none to this question.
        case nothing
        /// The lists are spread over nodes: ask alone.
        case impossible
    }

    /// So many changes come with the answer; of more only that they are there.
    static let few = 32
    private let lists: Grouped<ListQuestion, ChangeStretch>
    private let accounts: Grouped<Session, AccountHeads>
    private let topology: Topology

    init(_ pool: Pool, _ topology: Topology) {
        self.topology = topology
        lists = Grouped { (questions) throws(StoreError) in try await pool.stretches(questions) }
        accounts = Grouped { (sessions) throws(StoreError) in try await pool.heads(sessions) }
    }

    /// - Returns: a stretch that is not reached when it has more than a few changes.
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
    /// Which question it answers, counted from 1.
    fileprivate static func number(_ row: Row) throws(PostgresError) -> Int { try row.decode(at: 0) }
}
