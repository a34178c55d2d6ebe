package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Store {
    /// The stored hash of an account's password; nil when the account doesn't exist (any more).
    package func passwordHash(of account: AccountID) async throws(StoreError) -> String? {
        try await first(AccountSQL.passwordHash, [account]) { row throws(PostgresError) in
            try row.decode(String.self, at: 0)
        }
    }

    /// Deletes an account in one transaction. Each of its lists goes to the participant who may change the list and has
    /// been on it longest; a list without such a participant ends. The account leaves other people's lists. Its name is
    /// removed from their Activity, but its changes stay. Its devices are signed out, its invitations end, and its
    /// address becomes free. Repeating the call changes nothing.
    package func deleteAccount(_ account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            // Locks are always taken in the same order: lists by id, then the account.
            let mentioning = try await connection.listIDs(AccountSQL.mentioning, account)
            let lists = try await connection.listIDs(MemberSQL.lists, account)
            for list in mentioning {
                guard let row = try await connection.execute(ListSQL.lockUnchecked, [list]).first else { continue }
                let locked = try LockedList(list, row: row, role: .participant, permission: .readOnly)
                try await connection.forget(account, on: locked, isMember: lists.contains(list))
            }
            guard try await !connection.execute(AccountSQL.lock, [account]).isEmpty else { return }
            guard try await connection.listIDs(MemberSQL.lists, account).isEmpty else {
                // The account joined a list after the lists were read. The next try will see it.
                throw StoreError.unavailable(PostgresError(.cancelled, "the account has just joined a list"))
            }
            for statement in [
                AccountSQL.deleteDepartures, AccountSQL.deleteReadMarks, SummarySQL.deleteOfAccount,
                SummarySQL.deleteStatesOfAccount, AccountSQL.delete,
            ] {
                try await connection.execute(statement, [account])
            }
        }
    }
}

extension Connection {
    fileprivate func listIDs(_ statement: Statement, _ account: AccountID) async throws -> [ListID] {
        try await execute(statement, [account]).map { try $0.decode(ListID.self, at: 0) }
    }

    /// Removes an account from a list whose lock is held, and its name from the list's stream.
    fileprivate func forget(_ account: AccountID, on list: LockedList, isMember: Bool) async throws {
        let people = try await execute(MemberSQL.ofList, [list.id]).map { row in
            try row.decode((AccountID, Role, Permission).self)
        }
        let isOwner = people.contains { $0.0 == account && $0.1 == .owner }
        let heir = people.first { $0.0 != account && $0.2 == .readWrite }?.0
        if isOwner && heir == nil {
            return try await end(list.id, because: .accountDeleted)
        }
        let before = try await share(of: list.id)
        if isOwner, let heir { try await handOver(list, to: heir) }
        let address = try await execute(AccountSQL.byID, [account]).first.map { try $0.decode(String.self, at: 1) }
        if isMember {
            try await execute(MemberSQL.remove, [list.id, account, ListGoneReason.removed.rawValue])
        }
        try await execute(AccountSQL.endInvitations, [list.id, account])
        var leaver: Participant?
        if isMember || before.participants.contains(where: { $0.account == account }) {
            leaver = Participant(account: account, status: .left, accountDeleted: true)
        }
        try await redact(account, called: address, on: list.id)
        try await recordShare(of: list, unless: before, departing: leaver)
    }

    /// Removes an account's name and addresses from every recorded state of a list's share, including its former
    /// addresses. A state from when the account was only invited shows only the address.
    private func redact(_ account: AccountID, called address: String?, on list: ListID) async throws {
        let states = try await execute(ShareSQL.states, [list]).map { row in
            try Change(column: try row.decode(String.self, at: 1))
        }
        var addresses: Set = [address]
        for case .share(let share) in states.lazy.map(\.body) {
            addresses.formUnion(share.participants.lazy.filter { $0.account == account }.map(\.email))
        }
        let names = addresses.map { Participant(account: account, email: $0, status: .left) }
        var rewritten: [Change] = []
        for var change in states {
            guard case .share(var share) = change.body else { continue }
            let original = share
            share.participants = share.participants.map { participant in
                names.contains(where: participant.isSamePerson) ? participant.redacted(account: account) : participant
            }
            guard share != original else { continue }
            change.body = .share(share)
            rewritten.append(change)
        }
        guard !rewritten.isEmpty else { return }
        try await execute(ShareSQL.rewrite, [list, rewritten.map(\.sequence), rewritten.map(\.column)])
    }
}
