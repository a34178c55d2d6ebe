package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Records that a device has the list open, until the lease ends, or has closed it.
    /// - Parameter lease: milliseconds; nil: the list is closed.
    /// - Returns: the people who have it open now and, if this call changed them, the people of the list to notify.
    /// - Throws: `.notOnList`, `.gone`.
    package func setPresence(
        of session: Session, on list: ListID, for lease: Int64?
    ) async throws(StoreError) -> (presence: [Presence], toNotify: Set<AccountID>) {
        try await transaction { connection in
            let before = try await connection.presence(on: list)
            if let lease {
                let entered = try await connection.execute(
                    PresenceSQL.enter, [list, session.account, session.device, lease])
                if entered.isEmpty { throw try await connection.membershipError(of: session.account, from: list) }
            } else {
                try await connection.requireMembership(of: session.account, on: list)
                try await connection.execute(PresenceSQL.leave, [list, session.account, session.device])
            }
            let after = try await connection.presence(on: list)
            if before.map(\.account) == after.map(\.account) { return (after, []) }
            let people = try await connection.execute(MemberSQL.ofList, [list])
            return (after, Set(try people.map { try $0.decode(AccountID.self, at: 0) }))
        }
    }

    /// Records how far an account has read. The mark never goes back and never passes the list's head.
    /// - Returns: how far it has read now.
    /// - Throws: `.notOnList`, `.gone`.
    package func markRead(
        _ list: ListID, through sequence: SequenceNumber, by account: AccountID
    ) async throws(StoreError) -> SequenceNumber {
        let marked = try await first(PresenceSQL.read, [list, account, sequence]) { row throws(PostgresError) in
            try row.decode(SequenceNumber.self, at: 0)
        }
        guard let marked else { throw try await membershipError(of: account, from: list) }
        return marked
    }

    /// Deletes expired presence and expired sign-up codes.
    package func deleteExpired() async throws(StoreError) {
        try await execute(PresenceSQL.deleteExpired)
        try await execute(SignUpSQL.deleteExpiredCodes)
        try await execute(PasswordSQL.deleteExpired)
        try await execute(EmailSQL.deleteExpiredCodes)
    }
}

extension Connection {
    func presence(on list: ListID) async throws -> [Presence] {
        try await execute(PresenceSQL.ofList, [list]).map(Presence.init(row:))
    }
}

extension Presence {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, until) = try row.decode((AccountID, Timestamp).self)
        self.init(account: account, until: until)
    }
}

extension ReadMark {
    init(row: Row) throws(PostgresError) {
        let (account, through) = try row.decode((AccountID, SequenceNumber).self)
        self.init(account: account, through: through)
    }
}
