import GRDB
import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Accounts on a device and their lists.

/// A former account of this device that still has data here.
struct KnownAccount: Codable {
    var server: String
    var email: String
    var name: String
    /// The token of a session that has not been ended on the service.
    var token: String?
    /// Whether the service no longer knew the session when the account signed out here; nil: it knew it.
    var hadEnded: Bool?

    init(_ session: AccountSession, token: String? = nil, hadEnded: Bool = false) {
        server = session.server
        email = session.email
        name = session.name
        self.token = token
        self.hadEnded = hadEnded ? true : nil
    }

    /// Whether this account had the address of the session's account on the same service. It may be deleted, or exist
    /// with another address.
    func hadAddress(of session: AccountSession) -> Bool {
        guard email.lowercased() == session.email.lowercased() else { return false }
        return ServiceAddress(server) == ServiceAddress(session.server)
    }
}

extension StoreTransaction {
    // MARK: Accounts

    func remember(_ account: AccountID, _ known: KnownAccount) throws {
        let sealed = try key.seal(JSONEncoder().encode(known), at: account.bits.bytes)
        try db.execute(
            sql: "INSERT OR REPLACE INTO account (id, content) VALUES (?, ?)", arguments: [account.data, sealed])
    }

    func knownAccounts() throws -> [(id: AccountID, known: KnownAccount)] {
        try Row.fetchAll(db, sql: "SELECT id, content FROM account ORDER BY id").map { row in
            let id = try AccountID(data: row[0])
            let content = try key.open(row[1], at: id.bits.bytes)
            return (id, try JSONDecoder().decode(KnownAccount.self, from: content))
        }
    }

    /// Deletes accounts that have no data here any more.
    func forgetUnusedAccounts() throws {
        for (id, known) in try knownAccounts() where known.token == nil {
            let isUsed = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM list WHERE account = ?1 OR former = ?1)
                      OR EXISTS (SELECT 1 FROM rejected WHERE account = ?1)
                      OR EXISTS (SELECT 1 FROM notice WHERE account = ?1)
                      OR ?1 = coalesce((SELECT value FROM meta WHERE key = 'account'), x'')
                    """, arguments: [id.data])
            if isUsed != true { try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [id.data]) }
        }
    }

    // MARK: The accounts' lists

    /// Takes over the lists of former accounts of the same person on the same service, which has lost them. The
    /// person's own lists are created on the service again, with everything on this device. Other people's lists stay
    /// on this device alone until the person is invited again.
    func adoptLists(of lost: Set<AccountID>, for session: AccountSession, at now: Timestamp) throws {
        for id in lost.sorted() where id != session.account {
            let rows = try ListRow.fetchAll(
                db, sql: "SELECT * FROM list WHERE account = ?1 OR former = ?1 ORDER BY key", arguments: [id.data])
            for row in rows { try adopt(row, of: id, for: session, at: now) }
            for table in ["rejected", "notice"] {
                try db.execute(
                    sql: "UPDATE \(table) SET account = ? WHERE account = ?",
                    arguments: [session.account.data, id.data])
            }
            try db.execute(sql: "DELETE FROM account WHERE id = ?", arguments: [id.data])
        }
    }

    private func adopt(_ row: ListRow, of account: AccountID, for session: AccountSession, at now: Timestamp) throws {
        let staysLocal = row.local && row.former == nil
        let isOwn = try isOwn(row, of: account.data)
        // If the new account is on the list already, the old account's copy becomes a separate local list.
        let isDouble = try row.account != session.account.data && find(row.id) != nil
        if isDouble { _ = try rekey(row, at: now) }
        try db.execute(
            sql: "UPDATE list SET account = ?, former = NULL, local = ? WHERE key = ?",
            arguments: [session.account.data, row.local || isDouble, row.key])
        if staysLocal || isDouble { return }
        try reofferAll(of: row, at: now)
        try db.execute(
            sql: "UPDATE list SET published = 0, local = ?, share = ?, former = ? WHERE key = ?",
            arguments: [!isOwn, isOwn ? nil : row.share, isOwn ? nil : session.account.data, row.key])
    }

    /// Returns to an account the lists that stayed here while it was signed out. They are synchronized again, except
    /// other people's lists that the service has lost: those stay on this device alone.
    func reclaimLists(of account: AccountID) throws {
        let rows = try ListRow.fetchAll(
            db, sql: "SELECT * FROM list WHERE former = ? ORDER BY key", arguments: [account.data])
        for row in rows {
            let staysHere = try !row.published && !isOwn(row, of: account.data)
            try db.execute(
                sql: "UPDATE OR IGNORE list SET account = ?, former = ?, local = ? WHERE key = ?",
                arguments: [account.data, staysHere ? account.data : nil, staysHere, row.key])
        }
    }

    /// Keeps a list on this device alone when the service doesn't know that this account is on it, until the owner
    /// invites the person again. It stays this account's, even if another account signs in here.
    func makeLocal(_ list: ListRow, at now: Timestamp) throws {
        try offerAll(of: list, at: now)
        try db.execute(
            sql: """
                UPDATE list SET published = 0, local = 1, former = account, ownership = coalesce(ownership, x'')
                WHERE key = ?
                """, arguments: [list.key])
    }

    /// Offers a list again that the service has lost.
    func offerAll(of list: ListRow, at now: Timestamp) throws {
        // If the first snapshot was still arriving, the received part is all there is.
        let isEmpty = try Bool.fetchOne(
            db, sql: "SELECT NOT EXISTS (SELECT 1 FROM entry WHERE list = ?)", arguments: [list.key])
        if list.staging, isEmpty == true {
            try carryOut(ReceivingPlan(replacingWithStaged: try receiving(list)), in: list, at: now)
        }
        try reofferAll(of: list, at: now)
    }
}
