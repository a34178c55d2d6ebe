package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// The largest number of changes that a summary counts; of more, the newest.
    private static let maxChanges: Int64 = 2000
    /// The largest number of summaries in an answer.
    private static let maxSummaries: Int64 = 200

    /// Lists on which a session may have ended, the longest overdue first; at most `limit`.
    /// - Parameter last: the last list of the page before; nil for the first page.
    package func listsWithEndedSessions(
        after last: DueList? = nil, limit: Int
    ) async throws(StoreError) -> [DueList] {
        let last = last ?? DueList(id: ListID(UUIDBits(high: 0, low: 0)), due: "-infinity")
        return try await all(SummarySQL.due, [Int64(limit), last.due, last.id]) { row throws(PostgresError) in
            let (id, due) = try row.decode((ListID, String).self)
            return DueList(id: id, due: due)
        }
    }

    /// Plans to look for ended sessions on a list in this many milliseconds at the latest, because somebody's presence
    /// ends then. If the list stays locked for long, the look comes when it was planned before.
    /// - Returns: whether it comes earlier now.
    func hastenSummaries(of list: ListID, within milliseconds: Int64, always: Bool) async -> Bool {
        do throws(StoreError) {
            return try await !execute(SummarySQL.hasten, [list, milliseconds, always]).isEmpty
        } catch {
            // A session that ended is found by the planned look.
            return false
        }
    }

    /// Milliseconds until a list's sessions must be looked at next, negative if one is overdue; nil: no look is planned.
    package func nextSummary() async throws(StoreError) -> Int64? {
        try await one(SummarySQL.next) { row throws(PostgresError) in try row.decode(Int64?.self, at: 0) }
    }

    /// Ends the sessions on a list that are over, and stores the summaries for the others; and the alerts for those who
    /// want to be told of each change. All of it is one transaction, so that everything is told once, however many
    /// processes try and wherever one is killed.
    /// - Returns: nil if nobody is told anything, or if another process or an append holds the list.
    package func summarize(_ list: ListID) async throws(StoreError) -> SummarizedList? {
        try await typed {
            try await pool.withTransaction(opening: [
                .execute(SummarySQL.lock, [list]), .execute(SummarySQL.sessions, [list]),
                .execute(SummarySQL.people, [list]),
            ]) { connection, found in
                guard let locked = found[0].first else { return (nil, []) }
                let (head, now, alertsFrom) = try locked.decode((SequenceNumber, Timestamp, Timestamp?).self)
                let people = try found[2].map(SummaryPlan.Person.init(row:))
                let plan = SummaryPlan(
                    sessions: try found[1].map(SummaryPlan.Session.init(row:)), people: people, head: head, now: now,
                    alertsFrom: alertsFrom, hasAlerts: try await Self.hasAlerts(people, connection))
                var outcome = SummaryPlan.Outcome()
                if let after = plan.changesAfter {
                    let rows = try await connection.execute(SummarySQL.changes, [list, after, Self.maxChanges])
                    outcome = plan.outcome(of: try rows.map(SummaryPlan.Change.init(row:)).reversed())
                }
                let summarized = SummarizedList(
                    list: list, through: head, people: Set(outcome.summaries.map(\.recipient)),
                    alerted: Set(outcome.alerts.map(\.recipient)))
                return (
                    outcome.isEmpty ? nil : summarized, try Self.writes(plan, outcome, of: list, through: head)
                )
            }
        }
    }

    /// Whether anybody wants to be told of each change, and has a browser or a webhook to be told at.
    private static func hasAlerts(
        _ people: [SummaryPlan.Person], _ connection: Connection
    ) async throws -> Bool {
        let wanting = people.filter { $0.level == .all }.map(\.account)
        if wanting.isEmpty { return false }
        return try await !connection.execute(PushSQL.anyTarget, [wanting]).isEmpty
    }

    private static func writes(
        _ plan: SummaryPlan, _ outcome: SummaryPlan.Outcome, of list: ListID, through: SequenceNumber
    ) throws(StoreError) -> [Query] {
        let summaries = outcome.summaries
        let nextLook = [plan.nextLook, outcome.nextAlert].compactMap(\.self).min()
        let recipients = Set((summaries + outcome.alerts).map(\.recipient))
        var writes: [Query] = recipients.isEmpty ? [] : [.execute(PushSQL.keepTargets, [recipients.sorted()])]
        writes += [
            .execute(
                SummarySQL.reschedule,
                [list, nextLook, plan.summarizedThrough, outcome.alerts.isEmpty ? plan.alertsFrom : plan.nextAlerts])
        ]
        if !plan.ended.isEmpty {
            writes.append(.execute(SummarySQL.close, [list, plan.ended.map(\.account), plan.ended.map(\.last)]))
        }
        if !summaries.isEmpty {
            let contents = try summaries.map { (summary) throws(StoreError) in
                PostgresJSON(try columnJSON(summary.people))
            }
            let recipients = summaries.map(\.recipient)
            writes += [
                .execute(SummarySQL.noteNotified, [list, recipients]),
                .execute(SummarySQL.insert, [list, recipients, summaries.map(\.after), contents]),
                .execute(SummarySQL.trim, [list]),
            ]
            // In the same transaction, so that no notice is lost and none is sent for a summary that isn't stored.
            writes += try notices(of: summaries, areAlerts: false, list: list, through: through)
        }
        if !outcome.alerts.isEmpty {
            writes.append(.execute(SummarySQL.noteAlerted, [list, outcome.alerts.map(\.recipient)]))
            writes += try notices(of: outcome.alerts, areAlerts: true, list: list, through: through)
        }
        return writes
    }

    private static func notices(
        of summaries: [SummaryPlan.Summary], areAlerts: Bool, list: ListID, through: SequenceNumber
    ) throws(StoreError) -> [Query] {
        let contents = try summaries.map { (summary) throws(StoreError) in
            PostgresJSON(
                try columnJSON(
                    Notice(
                        after: summary.after, through: through, people: summary.people, isAlert: areAlerts ? true : nil)
                ))
        }
        return [
            .execute(DeliverySQL.replace, [list, summaries.filter { !$0.isKnown }.map(\.recipient)]),
            .execute(DeliverySQL.insert, [list, summaries.map(\.recipient), contents, summaries.map(\.isKnown)]),
        ]
    }

    /// The summaries that an account has not read past, of all lists that it is on, newest first.
    package func summaries(for account: AccountID) async throws(StoreError) -> [SessionSummary] {
        var summaries = try await all(SummarySQL.ofAccount, [account, Self.maxSummaries], SessionSummary.init(row:))
        let people = Set(summaries.flatMap { $0.people.map(\.account) })
        if people.isEmpty { return [] }
        let rows = try await all(SummarySQL.names, [Array(people)]) { row throws(PostgresError) in
            try row.decode((AccountID, String).self)
        }
        let names = Dictionary(rows) { first, _ in first }
        for summary in summaries.indices {
            for person in summaries[summary].people.indices {
                summaries[summary].people[person].name = names[summaries[summary].people[person].account]
            }
        }
        return summaries
    }

    /// The account's summaries that a hosted device has not acknowledged, newest first.
    package func summaries(forHosted session: Session) async throws(StoreError) -> [SessionSummary] {
        let summaries = try await summaries(for: session.account)
        if summaries.isEmpty { return [] }
        let rows = try await all(HostedQueueSQL.summariesAcknowledged, [session.device]) { row throws(PostgresError) in
            try row.decode((ListID, SequenceNumber).self)
        }
        let acknowledged = Dictionary(rows) { first, _ in first }
        return summaries.filter { $0.through > acknowledged[$0.list] ?? .start }
    }

    /// Has appends plan alerts on the lists of which the account wants to be told each change: it has somewhere to be told
    /// from now on. If that fails, the next look at each list does it.
    func beginAlerts(for account: AccountID) async {
        do {
            let lists = try await all(SummarySQL.withoutAlerts, [account]) { row throws(PostgresError) in
                try row.decode(ListID.self, at: 0)
            }
            for list in lists {
                try await transaction { connection in
                    _ = try await connection.pipeline([
                        .execute(ListSQL.limitLockWait), .execute(ListSQL.lockAlways, [list]),
                        .execute(SummarySQL.beginAlerts, [list]),
                    ])
                }
            }
        } catch {
            // The next look finds that the account has somewhere to be told.
        }
    }

    /// What an account wants to be told of a list.
    /// - Throws: `.notOnList`, `.gone`.
    package func notificationLevel(
        of list: ListID, for account: AccountID
    ) async throws(StoreError) -> NotificationLevel {
        let level = try await first(SummarySQL.level, [list, account]) { row throws(PostgresError) in
            try row.decode(NotificationLevel.self, at: 0)
        }
        guard let level else { throw try await membershipError(of: account, from: list) }
        return level
    }

    /// Sets what an account wants to be told of a list.
    /// - Throws: `.notOnList`, `.gone`.
    package func setNotificationLevel(
        _ level: NotificationLevel, of list: ListID, for account: AccountID
    ) async throws(StoreError) {
        try await requireMembership(of: account, on: list)
        try await transaction { connection in
            // The list first, as in ``summarize(_:)``. Appends plan alerts from then on.
            if level == .all {
                _ = try await connection.pipeline([
                    .execute(ListSQL.lockAlways, [list]), .execute(SummarySQL.beginAlerts, [list]),
                ])
            }
            let answers = try await connection.pipeline([
                .execute(SummarySQL.insertState, [list, account]),
                .execute(SummarySQL.setLevel, [list, account, level.rawValue]),
            ])
            if answers[1].isEmpty { throw try await connection.membershipError(of: account, from: list) }
        }
    }
}

extension SummaryPlan.Session {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, first, lastChangeAt, last) = try row.decode(
            (AccountID, SequenceNumber, Timestamp, SequenceNumber).self)
        self.init(account: account, first: first, lastChangeAt: lastChangeAt, last: last)
    }
}

extension SummaryPlan.Person {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, joinedAt, level, notified, read, until) = try row.decode(
            (AccountID, Timestamp, NotificationLevel, SequenceNumber?, SequenceNumber?, Timestamp?).self)
        self.init(
            account: account, joinedAt: joinedAt, level: level, notified: notified, read: read, presentUntil: until,
            alerted: try row.decode(SequenceNumber?.self, at: 6))
    }
}

extension SummaryPlan.Change {
    fileprivate init(row: Row) throws(PostgresError) {
        let (sequence, receivedAt, author, operation, item, message) = try row.decode(
            (SequenceNumber, Timestamp, AccountID, Operation, ItemID?, String?).self)
        self.init(
            sequence: sequence, receivedAt: receivedAt, author: author, operation: operation, item: item,
            message: message.flatMap { EntryID($0) })
    }
}

extension SessionSummary {
    fileprivate init(row: Row) throws(PostgresError) {
        let (list, after, through, madeAt) = try row.decode(
            (ListID, SequenceNumber, SequenceNumber, Timestamp).self)
        self.init(
            list: list, after: after, through: through, madeAt: madeAt,
            people: try row.json([SummarizedPerson].self, at: 4) ?? [])
    }
}
