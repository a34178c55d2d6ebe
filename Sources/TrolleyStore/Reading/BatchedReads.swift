import TrolleyJournal
import TrolleyPostgres

/// Asks for the changes of a list after a sequence. The account may not be on the list.
struct ChangesLookup: Hashable, Sendable {
    let account: AccountID
    let list: ListID
    let after: SequenceNumber
}

/// An account's lists, oldest first, each without changes.
struct AccountHeads: Sendable {
    var lists: [ChangeRange]
    /// Whether each list's row has the mark of its head. Otherwise the marks are looked up by another statement.
    var areMarked = true
    /// The hash of the device's last report, unless the report must be written again.
    let report: [UInt8]?
}

/// Answers concurrent requests for new changes with one statement, where all lists are on one server. Each answer is as fresh as
/// that of a separate statement (``BatchedLookup``), and says whether the account is on the list.
final class BatchedReads: Sendable {
    /// Returns up to this many changes inline; otherwise only that more exist.
    static let maxInlineChanges = 32
    private let lists: BatchedLookup<ChangesLookup, ChangeRange>
    private let accounts: BatchedLookup<Session, AccountHeads>

    init(_ pool: Pool) {
        lists = BatchedLookup { (questions) throws(StoreError) in try await pool.changeRanges(questions) }
        accounts = BatchedLookup { (sessions) throws(StoreError) in try await pool.heads(sessions) }
    }

    /// - Returns: a range without changes when there are more than ``maxInlineChanges``; nil: the account isn't on the list.
    func changeRange(_ question: ChangesLookup) async throws(StoreError) -> ChangeRange? {
        try await lists.ask(question)
    }

    func heads(_ session: Session) async throws(StoreError) -> AccountHeads? { try await accounts.ask(session) }
}

extension Pool {
    fileprivate func changeRanges(
        _ questions: Set<ChangesLookup>
    ) async throws(StoreError) -> [ChangesLookup: ChangeRange] {
        do {
            let questions = Array(questions)
            let rows = try await withConnection(for: .shortRead, statementTimeout: LookupLimits.timeout) { connection in
                try await connection.execute(
                    ChangeSQL.ofMany,
                    [
                        questions.map(\.account), questions.map(\.list), questions.map(\.after),
                        BatchedReads.maxInlineChanges,
                    ])
            }
            var changeRanges: [ChangesLookup: ChangeRange] = [:]
            changeRanges.reserveCapacity(questions.count)
            for (number, places) in try rows.runs(by: Row.number) {
                let question = questions[number - 1]
                var changeRange = try ChangeRange(question.list, row: rows[places.lowerBound], from: 1)
                changeRange.stored = try rows.changes(at: places, column: 6, reader: changeRange.reader)
                // A large change is read apart.
                if changeRange.stored.isCut { changeRange.stored = .none }
                changeRange.isReached = !changeRange.stored.isEmpty || changeRange.head <= question.after
                changeRanges[question] = changeRange
            }
            return changeRanges
        } catch { throw StoreError(any: error) }
    }

    fileprivate func heads(_ sessions: Set<Session>) async throws(StoreError) -> [Session: AccountHeads] {
        do {
            let sessions = Array(sessions)
            let rows = try await withConnection(for: .shortRead, statementTimeout: LookupLimits.timeout) { connection in
                try await connection.execute(
                    ChangeSQL.headsOfMany, [sessions.map(\.account), sessions.map(\.device)])
            }
            var heads: [Session: AccountHeads] = [:]
            heads.reserveCapacity(sessions.count)
            for (number, places) in try rows.runs(by: Row.number) {
                var account = AccountHeads(lists: [], report: try rows[places.lowerBound].decode(at: 1))
                for row in rows[places] {
                    guard let list = try row.decode(ListID?.self, at: 2) else { continue }
                    account.lists.append(try ChangeRange(list, row: row, from: 3))
                    if try !row.decode(Bool.self, at: 8) { account.areMarked = false }
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
