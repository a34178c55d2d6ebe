import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension SQLiteStore {
    func session() async throws(QueueStoreError) -> AccountSession? {
        try await read { try $0.session() }
    }

    /// Signs in. Earlier local lists, and the lists of accounts that this one succeeds, become the account's. Unsent
    /// entries are renumbered for the new device.
    /// - Parameter lost: accounts of the same person that the service has lost.
    func signIn(
        _ session: AccountSession, succeeding lost: Set<AccountID> = [], at now: Timestamp = DeviceTime.now().wall
    ) async throws(QueueStoreError) {
        try await write { transaction in
            if let before = try transaction.session() {
                try transaction.remember(before.account, KnownAccount(before))
            }
            try transaction.encode(session, as: "session")
            try transaction.set("account", to: session.account.data)
            try transaction.set("device", to: session.device.data)
            for name in ["pace", "signed-out"] { try transaction.set(name, to: nil) }
            let account = session.account.data
            try transaction.db.execute(
                sql: "UPDATE OR IGNORE list SET account = ? WHERE account = x'' AND former IS NULL",
                arguments: [account])
            try transaction.reclaimLists(of: session.account)
            try transaction.adoptLists(of: lost, for: session, at: now)
            for statement in [
                // Lists that were kept for other accounts stay visible, on this device alone.
                "UPDATE OR IGNORE list SET account = ? WHERE account = x''",
                "UPDATE rejected SET account = ? WHERE account = x''",
                "UPDATE notice SET account = ? WHERE account = x''",
            ] {
                try transaction.db.execute(sql: statement, arguments: [account])
            }
            for list in try transaction.lists() { try transaction.renumber(list, for: session.device) }
            let unended = try transaction.knownAccounts().first { $0.id == session.account }?.known.token
            try transaction.remember(session.account, KnownAccount(session, token: unended))
            try transaction.forgetUnusedAccounts()
        }
    }

    /// Other accounts that have lists on this device and had the same address as the session's account.
    func predecessors(of session: AccountSession) async throws(QueueStoreError) -> [(
        id: AccountID, known: KnownAccount
    )] {
        try await read { transaction in
            try transaction.knownAccounts().filter { $0.id != session.account && $0.known.hadAddress(of: session) }
        }
    }

    /// Records the signed-in account's new address or name.
    func rename(_ account: AccountResponse) async throws(QueueStoreError) {
        try await write { transaction in
            guard var session = try transaction.session(),
                session.account == account.id
            else { return }
            session.email = account.email
            session.name = account.name
            try transaction.encode(session, as: "session")
        }
    }

    /// Signs the account out on the device.
    /// - Parameters:
    ///   - policy: what happens to its lists.
    ///   - isKnown: whether the service knows that the session has ended.
    ///   - hadEnded: whether the service had ended the session before.
    func signOut(
        _ policy: SignOutListPolicy = .leave, isKnown: Bool = true, hadEnded: Bool = false
    ) async throws(QueueStoreError) {
        try await write { try $0.signOut(policy, isKnown: isKnown, hadEnded: hadEnded) }
    }

    /// Signs a session out, at the person's request. It may have ended meanwhile, because the service said so: then its lists
    /// have left the device, and what is left here is forgotten, or waits for the account.
    func signOut(
        of session: AccountSession, _ policy: SignOutListPolicy, isKnown: Bool, hadEnded: Bool
    ) async throws(QueueStoreError) -> Device.SignOut {
        try await write { transaction in
            let lists = try transaction.lists(of: session.account).filter { !$0.local }
            var waiting = 0
            for list in lists { waiting += try transaction.countWaiting(in: list) }
            var done = Device.SignOut(waiting: waiting, isKnownToService: isKnown, lists: policy, count: lists.count)
            if try transaction.isPresent(session) {
                try transaction.signOut(policy, isKnown: isKnown, hadEnded: hadEnded)
            } else if policy == .forget, try transaction.account() != session.account.data {
                try transaction.forgetData(of: session.account)
                try transaction.forgetUnusedAccounts()
            } else {
                done.lists = .leave
            }
            return done
        }
    }

    /// Signs the account out after this session was ended elsewhere. Does nothing if it is no longer the device's session.
    func signOut(as session: AccountSession, at now: Timestamp) async throws(QueueStoreError) {
        try await write { transaction in
            guard try transaction.session()?.token == session.token else { return }
            try transaction.signOut(.leave, isKnown: true, hadEnded: false)
            let signedOut = SignedOutElsewhere(server: session.server, email: session.email, at: now)
            try transaction.encode(signedOut, as: "signed-out")
        }
    }

    /// Records that the service no longer knows the session. Does nothing if it is no longer the device's.
    func noteEnd(of session: AccountSession, at now: Timestamp) async throws(QueueStoreError) {
        try await write { transaction in
            guard try transaction.isPresent(session) else { return }
            var retryState = try transaction.retryState()
            guard retryState.sessionEndedAt == nil else { return }
            retryState.sessionEndedAt = now
            try transaction.set(retryState)
        }
    }

    func signedOutElsewhere() async throws(QueueStoreError) -> SignedOutElsewhere? {
        try await read { try $0.decoded("signed-out", as: SignedOutElsewhere.self) }
    }

    /// Removes and returns the tokens of sessions that have not been ended on the service.
    func takeUnendedSessions(of account: AccountID) async throws(QueueStoreError) -> [String] {
        try await write { transaction in
            guard var known = try transaction.knownAccounts().first(where: { $0.id == account })?.known,
                let token = known.token
            else { return [] }
            known.token = nil
            try transaction.remember(account, known)
            return [token]
        }
    }

    /// Hidden lists of accounts that are not signed in.
    func hiddenLists() async throws(QueueStoreError) -> [HiddenLists] {
        try await read { transaction in
            let present = try transaction.account()
            var hidden: [HiddenLists] = []
            for (id, known) in try transaction.knownAccounts() where id.data != present {
                let rows = try ListRow.fetchAll(
                    transaction.db, sql: "SELECT * FROM list WHERE account = ?", arguments: [id.data])
                var waiting = 0
                for row in rows { waiting += try transaction.countWaiting(in: row) }
                guard !rows.isEmpty else { continue }
                hidden.append(
                    HiddenLists(server: known.server, email: known.email, lists: rows.count, waiting: waiting))
            }
            return hidden
        }
    }
}

extension StoreTransaction {
    func signOut(_ policy: SignOutListPolicy, isKnown: Bool, hadEnded: Bool) throws {
        let account = try account()
        if let session = try session() {
            let known = KnownAccount(session, token: isKnown ? nil : session.token, hadEnded: hadEnded)
            try remember(session.account, known)
        }
        if policy == .leave { for list in try lists() where !list.local { try empty(list) } }
        if policy == .forget, let account = try AccountID(stored: account) { try forgetData(of: account) }
        for statement in Self.policyStatements[policy] ?? [] { try db.execute(sql: statement, arguments: [account]) }
        try db.execute(
            sql: "UPDATE OR IGNORE list SET account = x'' WHERE account = ? AND local = 1", arguments: [account])
        for name in ["session", "account", "device", "pace", "links"] { try set(name, to: nil) }
        if policy != .stay { try set("current", to: nil) }
        try forgetUnusedAccounts()
    }

    /// The statements for each policy, run after the lists were emptied.
    private static var policyStatements: [SignOutListPolicy: [String]] {
        [
            .stay: [
                "UPDATE OR IGNORE list SET account = x'', former = ?1, local = 1 WHERE account = ?1 AND local = 0",
                "UPDATE rejected SET account = x'' WHERE account = ?",
                "UPDATE notice SET account = x'' WHERE account = ?",
            ],
            .leave: [
                """
                DELETE FROM list WHERE account = ? AND local = 0 AND key NOT IN (SELECT list FROM pending)
                AND key NOT IN (SELECT list FROM invitation)
                """
            ],
        ]
    }

    /// Deletes an account's data, with unsent changes. Its local lists stay.
    func forgetData(of account: AccountID) throws {
        try db.execute(sql: "DELETE FROM list WHERE account = ? AND local = 0", arguments: [account.data])
        for table in ["rejected", "notice"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account.data])
        }
    }

    /// Deletes everything that the service can send again; the upload queue is left.
    func empty(_ list: ListRow) throws {
        for table in ["entry", "staged", "confirmed", "undo"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE list = ?", arguments: [list.key])
        }
        try db.execute(
            sql: "DELETE FROM pending WHERE list = ? AND sequence IS NOT NULL", arguments: [list.key])
        try db.execute(
            sql: "UPDATE list SET token = NULL, staging = 0, through = 0 WHERE key = ?",
            arguments: [list.key])
    }

    /// Numbers the unsent entries for a new device.
    func renumber(_ list: ListRow, for device: DeviceID) throws {
        var numbering = Renumbering()
        var position = Int64.min
        // In batches, because a queue may be long.
        while true {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT position, id, content, sent FROM pending
                    WHERE list = ? AND position > ? AND offered = 0 ORDER BY position LIMIT 500
                    """,
                arguments: [list.key, position])
            guard let last = rows.last else { break }
            position = last[0]
            for row in rows { try renumber(row, in: list, by: &numbering) }
        }
        if numbering.last > 0 { try setCounter(numbering.last, of: list.id, device: device.data) }
    }

    private func renumber(_ row: Row, in list: ListRow, by numbering: inout Renumbering) throws {
        let id = try EntryID(data: row[1])
        var entry = try openEntry(row[2], id: id, in: list.id)
        guard let number = numbering.number(entry.deviceSequence, isSent: row[3], isOffered: false) else { return }
        entry.deviceSequence = number
        try db.cachedStatement(sql: "UPDATE pending SET content = ? WHERE list = ? AND id = ?")
            .execute(arguments: [try seal(entry, in: list.id), list.key, id.data])
    }
}
