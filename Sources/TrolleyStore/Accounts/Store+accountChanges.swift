package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

// How a person appears to others. Their lists show it in their streams, each in a transaction of its own.

extension Store {
    /// Changes a person's name, or the colour of their picture. Their lists show it after ``continueAccountChanges(of:within:)``.
    /// - Parameters:
    ///   - name: nil: it stays.
    ///   - colour: empty: none; nil: it stays.
    package func change(
        _ account: AccountID, name: String?, colour: String?
    ) async throws(StoreError) -> AccountResponse {
        try await transaction { connection in
            let before = try await connection.execute(AccountChangeSQL.former, [account]).first
                .map(AccountResponse.init(row:))
            let rows = try await connection.execute(AccountChangeSQL.change, [account, name, colour])
            guard let row = rows.first else {
                throw StoreError.unavailable(PostgresError(.cancelled, "the account has just been deleted"))
            }
            let changed = try AccountResponse(row: row)
            if changed != before { try await connection.execute(AccountChangeSQL.note, [account]) }
            return changed
        }
    }

    /// Has the streams of lists show what accounts have changed. Two processes may do this at once: the second one finds
    /// nothing to record. A list that can't be changed holds up no other account's.
    /// - Parameters:
    ///   - account: the only account whose lists are told; nil: all that wait for it.
    ///   - limit: after this time no further list is begun; nil: all are done.
    ///   - told: gets each list whose stream has a new state.
    /// - Returns: whether there was anything to do.
    @discardableResult
    package func continueAccountChanges(
        of account: AccountID? = nil, within limit: Duration? = nil, told: (ListID) -> Void = { _ in }
    ) async throws(StoreError) -> Bool {
        let end = limit.map { ContinuousClock.now + $0 }
        let open = try await all(AccountChangeSQL.open, [account]) { row throws(PostgresError) in
            try row.decode((AccountID, Int64, ListID).self)
        }
        var failure: StoreError?
        for (account, number, done) in open {
            do throws(StoreError) {
                try await tellLists(of: account, change: number, after: done, until: end, told)
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return !open.isEmpty
    }

    private func tellLists(
        of account: AccountID, change number: Int64, after done: ListID, until end: ContinuousClock.Instant?,
        _ told: (ListID) -> Void
    ) async throws(StoreError) {
        var done = done
        while let list = try await listMentioning(account, after: done) {
            if let end, ContinuousClock.now >= end { return }
            if try await recordPeople(of: list) { told(list) }
            try await execute(AccountChangeSQL.advance, [account, number, list])
            done = list
        }
        try await execute(AccountChangeSQL.finish, [account, number])
    }

    /// The next list, in lock order, whose stream may mention the account.
    func listMentioning(_ account: AccountID, after list: ListID) async throws(StoreError) -> ListID? {
        try await first(AccountSQL.mentioning, [account, list]) { row throws(PostgresError) in
            try row.decode(ListID.self, at: 0)
        }
    }

    /// Records the present state of a list's share, if its stream shows another one. The size is bounded, so that renaming
    /// oneself again and again can't fill other people's lists.
    /// - Returns: whether it was recorded.
    private func recordPeople(of list: ListID) async throws(StoreError) -> Bool {
        try await transaction { connection in
            try await connection.execute(ListSQL.limitLockWait)
            guard let locked = try await connection.lock(list),
                // The stream of a list that was never shared has no states of the share.
                let latest = try await connection.latestShare(of: list)
            else { return false }
            do {
                return try await connection.recordShare(
                    of: locked, unless: latest, within: RecordedShare.bytesPerListForNames) != latest
            } catch StoreError.tooManyShareChanges {
                // The stream shows it with the next change of the list's people.
                return false
            }
        }
    }
}
