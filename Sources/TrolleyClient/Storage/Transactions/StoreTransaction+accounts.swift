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
        var list = try receiving(row, for: account.data)
        // It was only kept here while the account was signed out.
        if row.former != nil { list.isLocal = false }
        let step = ReceivedEnd.accountLost.step(for: list)
        // If the new account is on the list already, the old account's copy becomes a separate local list.
        let isDouble = try row.account != session.account.data && find(row.id) != nil
        if isDouble { _ = try rekey(row, at: now) }
        try db.execute(
            sql: "UPDATE list SET account = ?, former = NULL, local = ? WHERE key = ?",
            arguments: [session.account.data, step == nil || isDouble, row.key])
        guard let step, !isDouble else { return }
        try keepLost(list, by: step, of: row, at: now)
        // The share names the lost account as the owner.
        if step == .offerAgain {
            try db.execute(sql: "UPDATE list SET share = NULL WHERE key = ?", arguments: [row.key])
        }
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

    /// Keeps what is here of a list that the service has lost.
    /// - Parameter before: the list's state.
    func keepLost(_ before: ReceivingList, by step: EndStep, of list: ListRow, at now: Timestamp) throws {
        // If the first snapshot was still arriving, the received part is all there is.
        let isEmpty = try Bool.fetchOne(
            db, sql: "SELECT NOT EXISTS (SELECT 1 FROM entry WHERE list = ?)", arguments: [list.key])
        if before.isStaging, isEmpty == true {
            try carryOut(ReceivingPlan(replacingWithStaged: before), in: list, at: now)
        }
        try reofferAll(of: list, at: now)
        try keep(before, after: step, of: list)
    }

    /// Stores the state of a list after a step. A list that stays on this device alone stays this account's, even if
    /// another account signs in here.
    func keep(_ before: ReceivingList, after step: EndStep, of list: ListRow) throws {
        let after = before.after(step)
        try db.execute(
            sql: """
                UPDATE list SET token = ?, staging = ?, published = ?, local = ?,
                  former = CASE WHEN ?4 THEN account ELSE former END
                WHERE key = ?
                """, arguments: [after.token, after.isStaging, after.isPublished, after.isLocal, list.key])
        if let owner = after.owner { try keep(owner.proof, of: list) }
    }
}
