public import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Store {
    /// The stored hash of an account's password; nil when there is no such account (any more).
    public func passwordHash(of account: AccountID) async throws(StoreError) -> String? {
        try await first(AccountSQL.passwordHash, [account]) { row throws(PostgresError) in
            try row.decode(String.self, at: 0)
        }
    }

    /// Deletes an account, all or nothing. Its lists go to the participant who has been on each the longest and may
    /// change it; a list without one ends. It leaves others' lists, its name leaves their Activity, and what it did stays.
    /// Its devices are signed out, its invitations end, and its address is free. Doing it again changes nothing.
    public func deleteAccount(_ account: AccountID) async throws(StoreError) {
        try await endingSessions { connection in
            // Locks are taken in one order everywhere: lists by their ids, then the account.
            let mentioning = try await connection.listIDs(AccountSQL.mentioning, account)
            let lists = try await connection.listIDs(MemberSQL.lists, account)
            for list in mentioning {
                guard let row = try await connection.execute(ListSQL.lockUnasked, [list]).first else { continue }
                let locked = try LockedList(list, row: row, role: .participant, permission: .readOnly)
                try await connection.forget(account, on: locked, isMember: lists.contains(list))
            }
            guard try await !connection.execute(AccountSQL.lock, [account]).isEmpty else { return }
            guard try await connection.listIDs(MemberSQL.lists, account).isEmpty else {
                // It has come onto a list since we looked. That is over now, so the next try sees it.
                throw StoreError.unavailable(PostgresError(.cancelled, "the account has just joined a list"))
            }
            for statement in [AccountSQL.deleteDepartures, AccountSQL.deleteReadMarks, AccountSQL.delete] {
                try await connection.execute(statement, [account])
            }
        }
    }
}

extension Connection {
    fileprivate func listIDs(_ statement: Statement, _ account: AccountID) async throws -> [ListID] {
        try await execute(statement, [account]).map { try $0.decode(ListID.self, at: 0) }
    }

    /// Takes an account off a list whose lock is held, and its name out of the list's stream.
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

    /// Takes an account's name and addresses out of every state of a list's share: also those that it had before. States of when it
    /// was only invited show nothing of it but the address.
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
