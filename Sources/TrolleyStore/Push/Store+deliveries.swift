package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

// The outbox of push and webhooks.

extension Store {
    /// Claims due deliveries for this process: at most one for each target. Names of people are in those notices whose
    /// target wants content. A delivery that can't be read becomes a dead letter.
    /// - Parameter unreadable: called with each of those, and with an error that doesn't contain what the delivery says.
    package func claimDeliveries(
        _ lane: DeliveryLane, unreadable: (DeliveryID, StoreError) -> Void = { _, _ in }
    ) async throws(StoreError) -> [ClaimedDelivery] {
        let due = try await execute(
            DeliverySQL.claim,
            [
                lane.failing, Int64(lane.free), lane.busyAccounts, lane.busyTargets,
                Int64(PushLimits.parallelPerAccount), Int64(PushLimits.lease), lane.fullAccounts,
                Int64(PushLimits.examined),
            ])
        var claimed: [ClaimedDelivery] = []
        for row in due {
            do throws(PostgresError) {
                claimed.append(try ClaimedDelivery(row: row))
            } catch {
                // The others of this claim are sent.
                try await giveUp(row, after: error, unreadable)
            }
        }
        let people = Set(claimed.filter(\.target.withContent).flatMap { $0.notice.people.map(\.account) })
        if people.isEmpty { return claimed }
        let rows = try await all(SummarySQL.names, [Array(people)]) { row throws(PostgresError) in
            try row.decode((AccountID, String).self)
        }
        let names = Dictionary(rows) { first, _ in first }
        for index in claimed.indices where claimed[index].target.withContent {
            for person in claimed[index].notice.people.indices {
                claimed[index].notice.people[person].name = names[claimed[index].notice.people[person].account]
            }
        }
        return claimed
    }

    /// Gives up a claimed delivery that can't be read.
    private func giveUp(
        _ row: Row, after error: PostgresError, _ unreadable: (DeliveryID, StoreError) -> Void
    ) async throws(StoreError) {
        let delivery: (id: DeliveryID, list: ListID, attempt: Int64)
        do throws(PostgresError) {
            delivery = (try row.decode(at: 0), try row.decode(at: 1), try row.decode(at: 5))
        } catch { throw StoreError(error) }
        unreadable(delivery.id, StoreError(error))
        do throws(StoreError) {
            try await execute(DeliverySQL.bury, [delivery.list, delivery.id, delivery.attempt, "unreadable"])
        } catch {
            // It is claimed again when its lease has ended.
            unreadable(delivery.id, error)
        }
    }

    /// Milliseconds until a delivery becomes due; nil: all that wait are due.
    package func nextDelivery() async throws(StoreError) -> Int64? {
        try await one(DeliverySQL.next) { row throws(PostgresError) in try row.decode(Int64?.self, at: 0) }
    }

    /// Deletes a delivery that has arrived.
    package func noteDelivered(_ delivery: ClaimedDelivery) async throws(StoreError) {
        // First, so that a target without deliveries isn't failing.
        if delivery.target.failing { try await setFailing(false, delivery.target) }
        try await execute(DeliverySQL.delete, [delivery.list, delivery.id])
    }

    /// Plans the next attempt of a delivery, unless it would expire before or has had all its attempts.
    /// - Parameters:
    ///   - milliseconds: the time until the next attempt.
    ///   - failure: why this attempt failed, without secrets.
    /// - Returns: whether it was given up.
    @discardableResult
    package func retry(
        _ delivery: ClaimedDelivery, in milliseconds: Int64, after failure: String, attempts: Int
    ) async throws(StoreError) -> Bool {
        if !delivery.target.failing { try await setFailing(true, delivery.target) }
        return try await first(
            DeliverySQL.retry,
            [delivery.list, delivery.id, Int64(delivery.attempt), milliseconds, failure, Int64(attempts)]
        ) { row throws(PostgresError) in try row.decode(Bool.self, at: 0) } ?? false
    }

    /// Gives a delivery up: it becomes a dead letter.
    package func bury(_ delivery: ClaimedDelivery, after failure: String) async throws(StoreError) {
        if !delivery.target.failing { try await setFailing(true, delivery.target) }
        try await execute(DeliverySQL.bury, [delivery.list, delivery.id, Int64(delivery.attempt), failure])
    }

    /// Deletes a subscription or webhook whose endpoint is gone, with its deliveries.
    package func endTarget(of delivery: ClaimedDelivery) async throws(StoreError) {
        try await execute(PushSQL.endTarget, [delivery.target.id, delivery.target.url])
    }

    /// Keeps the outbox of these accounts within ``PushLimits/deliveriesPerTarget``.
    package func trimDeliveries(of accounts: Set<AccountID>) async throws(StoreError) {
        try await execute(DeliverySQL.trim, [Array(accounts), Int64(PushLimits.deliveriesPerTarget)])
    }

    /// Dead letters, newest first.
    func deadLetters(account: AccountID?, list: ListID?, limit: Int) async throws(StoreError) -> [DeadLetter] {
        try await all(DeliverySQL.dead, [account, list, Int64(limit)], DeadLetter.init(row:))
    }

    private func setFailing(_ failing: Bool, _ target: PushTarget) async throws(StoreError) {
        try await execute(PushSQL.setFailing, [target.id, target.url, failing])
    }
}

extension ClaimedDelivery {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, list, createdAt, expiresAt, claimedAt, attempt) = try row.decode(
            (DeliveryID, ListID, Timestamp, Timestamp, Timestamp, Int64).self)
        guard let notice = try row.json(Notice.self, at: 6) else { throw row[6].mismatch(Notice.self) }
        self.init(
            id: id, target: try PushTarget(row: row, from: 7), list: list, notice: notice, createdAt: createdAt,
            expiresAt: expiresAt, claimedAt: claimedAt, attempt: Int(attempt))
    }
}

extension PushTarget {
    fileprivate init(row: Row, from column: Int) throws(PostgresError) {
        let secret = try row.decode([UInt8].self, at: column + 4)
        let keys = try row.decode([UInt8]?.self, at: column + 3).map { PushKeys(publicKey: $0, secret: secret) }
        let app = try row.decode(String?.self, at: column + 5)
        let isProgram = try row.decode(Bool.self, at: column + 9)
        let kind: Kind =
            if let keys, let app {
                isProgram ? .calendar(keys, origin: app) : .browser(keys, app: app)
            } else {
                .webhook(secret: secret)
            }
        self.init(
            id: try row.decode(at: column), account: try row.decode(at: column + 1),
            url: try row.decode(at: column + 2), kind: kind, withContent: try row.decode(at: column + 6),
            failing: try row.decode(at: column + 7), language: try row.decode(at: column + 8))
    }
}

extension DeadLetter {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, account, list, createdAt, failedAt, attempts) = try row.decode(
            (DeliveryID, AccountID, ListID, Timestamp, Timestamp, Int64).self)
        self.init(
            id: id, kind: try row.decode(Bool.self, at: 8) ? .webhook : .push, account: account, list: list,
            host: PushTarget.host(of: try row.decode(String.self, at: 7)),
            failure: try row.decode(String?.self, at: 6) ?? "expired", attempts: Int(attempts), createdAt: createdAt,
            failedAt: failedAt)
    }
}
