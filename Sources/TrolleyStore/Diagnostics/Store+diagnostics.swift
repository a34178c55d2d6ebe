package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// Limits that keep diagnostics readable, and cheap on a large database.
private enum DiagnosticsLimits {
    /// Without a filter: the number of devices and of lists, worst first.
    static let worst = 20
    /// With a filter: the number of devices, of lists and of invitations.
    static let rows = 500
    /// Entries of all lists together, the newest of each.
    static let entries = 20_000
    /// Bytes of the fields of these entries, where content is shown.
    static let bytes = 4 << 20
}

extension Store {
    /// The state of the service and its database.
    /// - Parameters:
    ///   - scope: an account or a list; without either: totals, and the worst devices and lists.
    ///   - version: the service's.
    ///   - configuration: what the caller knows of the service, such as its database, for the operator; nil: for a
    ///     person, who sees only their own data.
    ///   - withContent: whether to include content that people wrote, their names and addresses.
    /// - Throws: `.notOnList` when the list doesn't exist; `.overloaded` and `.tooLong` when the account may use no
    ///   more memory.
    package func diagnostics(
        of scope: ServiceDiagnostics.Scope, version: String, configuration: [String: String]?, withContent: Bool
    ) async throws(StoreError) -> ServiceDiagnostics {
        try await withReadTurn(for: scope.account ?? Self.operatorsAccount) {
            try await diagnosticsNow(
                of: scope, version: version, configuration: configuration, withContent: withContent)
        }
    }

    private func diagnosticsNow(
        of scope: ServiceDiagnostics.Scope, version: String, configuration: [String: String]?, withContent: Bool
    ) async throws -> ServiceDiagnostics {
        let (at, postgresql, epoch) = try await one(DiagnosticsSQL.server) { row throws(PostgresError) in
            try row.decode((Timestamp, String, String).self)
        }
        let steps = try await typed { try await Migrator(pool: pool).status() }
        var diagnostics = ServiceDiagnostics(
            at: at, scope: scope,
            versions: ServiceDiagnostics.Versions(
                service: version, schema: steps.last { $0.appliedAt != nil }?.version ?? 0, postgresql: postgresql),
            epoch: epoch,
            migrations: steps.map {
                ServiceDiagnostics.Migration(version: $0.version, name: $0.name, appliedAt: $0.appliedAt)
            })
        if let configuration { diagnostics.operation = try await operation(configuration) }
        diagnostics.lists = try await diagnosedLists(scope, withContent: withContent)
        if configuration == nil, let person = scope.account {
            // Only the owner sees invitations, because they contain addresses of people who may never join.
            for index in diagnostics.lists.indices where !diagnostics.lists[index].isOwned(by: person) {
                diagnostics.lists[index].invitations = []
            }
        }
        var people = Set(scope.account.map { [$0] } ?? [])
        // A person who asks for their own data doesn't see other people's devices.
        if scope.account == nil { people = Set(diagnostics.lists.flatMap { $0.members.map(\.account) }) }
        if scope == ServiceDiagnostics.Scope() {
            diagnostics.devices = try await devices(DiagnosticsSQL.worstDevices, [DiagnosticsLimits.worst], withContent)
        } else {
            diagnostics.devices = try await devices(
                DiagnosticsSQL.devices, [Array(people), DiagnosticsLimits.rows], withContent)
            diagnostics.accounts = try await all(DiagnosticsSQL.accounts, [Array(people)]) {
                row throws(PostgresError) in
                let (id, createdAt, email, name) = try row.decode((AccountID, Timestamp, String, String).self)
                return ServiceDiagnostics.Account(
                    id: id, createdAt: createdAt, email: withContent ? email : nil, name: withContent ? name : nil)
            }
        }
        diagnostics.deadLetters = try await deadLetters(
            account: scope.account, list: scope.list,
            limit: scope == ServiceDiagnostics.Scope() ? DiagnosticsLimits.worst : DiagnosticsLimits.rows)
        return diagnostics
    }

    /// The account with this address; nil when there is none.
    package func account(with email: EmailAddress) async throws(StoreError) -> AccountID? {
        guard !email.text.utf8.contains(0) else { return nil }
        return try await first(DiagnosticsSQL.accountByEmail, [email.key]) { row throws(PostgresError) in
            try row.decode(at: 0)
        }
    }

    private func devices(
        _ statement: Statement, _ binds: [any PostgresEncodable], _ withContent: Bool
    ) async throws(StoreError) -> [ServiceDiagnostics.Device] {
        try await all(statement, binds) { row throws(PostgresError) in
            let (id, account, name, createdAt, lastSeenAt, signedIn) = try row.decode(
                (DeviceID, AccountID, String, Timestamp, Timestamp, Bool).self)
            return ServiceDiagnostics.Device(
                id: id, account: account, name: withContent ? name : nil, createdAt: createdAt, lastSeenAt: lastSeenAt,
                signedIn: signedIn, reportedAt: try row.decode(at: 6), positions: try row.json(at: 7) ?? [:],
                report: try row.json(at: 8))
        }
    }

    private func diagnosedLists(
        _ scope: ServiceDiagnostics.Scope, withContent: Bool
    ) async throws -> [DiagnosedList] {
        var lists = try await facts(of: try await lists(in: scope)).map { DiagnosedList(facts: $0) }
        if scope.list != nil, lists.isEmpty { throw StoreError.notOnList }
        try await addPeople(to: &lists, withContent: withContent)
        guard scope != ServiceDiagnostics.Scope() else { return lists }
        let reader = scope.account ?? Self.operatorsAccount
        var dump = NewestEntries(
            entries: DiagnosticsLimits.entries, bytes: DiagnosticsLimits.bytes, withContent: withContent,
            memory.reservation(for: reader))
        for index in lists.indices { dump = try await addJournal(to: &lists[index], after: dump, for: reader) }
        return lists
    }

    private func lists(in scope: ServiceDiagnostics.Scope) async throws(StoreError) -> [ListID] {
        if let list = scope.list { return [list] }
        let (statement, binds): (Statement, [any PostgresEncodable]) =
            if let account = scope.account {
                (DiagnosticsSQL.listsOfAccount, [account, DiagnosticsLimits.rows])
            } else {
                (DiagnosticsSQL.longestLists, [DiagnosticsLimits.worst])
            }
        return try await all(statement, binds) { row throws(PostgresError) in try row.decode(at: 0) }
    }

    /// - Returns: no facts for a list that doesn't exist.
    private func facts(of lists: [ListID]) async throws(StoreError) -> [DiagnosedList.Facts] {
        try await typed {
            let answers = try await pool.withConnection { connection in
                try await connection.pipeline(lists.map { .execute(DiagnosticsSQL.list, [$0]) })
            }
            return try answers.compactMap { rows in try rows.first.map { try DiagnosedList.Facts(row: $0) } }
        }
    }

    private func addPeople(to lists: inout [DiagnosedList], withContent: Bool) async throws(StoreError) {
        let ids = lists.map(\.facts.id)
        let members = try await all(DiagnosticsSQL.members, [ids]) { row throws(PostgresError) in
            let (list, account, role, permission, joinedAt) = try row.decode(
                (ListID, AccountID, Role, Permission, Timestamp).self)
            return (
                list,
                DiagnosedList.Member(account: account, role: role, permission: permission, joinedAt: joinedAt)
            )
        }
        let invitations = try await all(DiagnosticsSQL.invitations, [ids, DiagnosticsLimits.rows]) {
            row throws(PostgresError) in
            let (list, email, permission, createdAt, expiresAt, isUsed) = try row.decode(
                (ListID, String?, Permission, Timestamp, Timestamp?, Bool).self)
            return (
                list,
                DiagnosedList.Invitation(
                    isLink: email == nil, email: withContent ? email : nil, permission: permission,
                    createdAt: createdAt, expiresAt: expiresAt, isUsed: isUsed)
            )
        }
        for index in lists.indices {
            lists[index].members = members.filter { $0.0 == lists[index].facts.id }.map(\.1)
            lists[index].invitations = invitations.filter { $0.0 == lists[index].facts.id }.map(\.1)
        }
    }

    /// - Returns: the remaining room of the dump.
    private func addJournal(
        to list: inout DiagnosedList, after dump: NewestEntries, for reader: AccountID
    ) async throws -> NewestEntries {
        let id = list.facts.id
        var (state, dump) = try await pool.withTransaction(isolation: .readOnly) { connection in
            // Without memory for the fold, the dump lacks the list's digest but has its entries.
            var (fold, dump): (ListFold?, NewestEntries) = (ListFold(), dump)
            let reservation = memory.reservation(for: reader)
            try await connection.forEachEntry(of: EntrySQL.entryRange, [id]) { entry, bytes throws(StoreError) in
                do throws(StoreError) {
                    try fold?.apply(entry, bytes, reservation)
                    try dump.append(entry, bytes)
                } catch {
                    guard fold != nil else { throw error }
                    fold = nil
                    reservation.shrink(to: 0)
                    try dump.append(entry, bytes)
                }
            }
            return (fold?.state, dump)
        }
        list.digest = state?.digest
        list.name = dump.withContent ? state?.name : nil
        list.entries = dump.takeList()
        return dump
    }

    /// The account on whose budget an operator's command runs.
    private static let operatorsAccount = AccountID(UUIDBits(high: 0, low: 0))

    private func operation(_ configuration: [String: String]) async throws(StoreError) -> ServiceDiagnostics.Operation {
        let totals = try await one(DiagnosticsSQL.totals) { row throws(PostgresError) in
            let (accounts, devices, lists, entries, bytes) = try row.decode((Int64, Int64, Int64, Int64?, Int64).self)
            return ServiceDiagnostics.Operation.Totals(
                accounts: accounts, devicesSignedIn: devices, lists: lists, entries: entries, bytes: bytes)
        }
        let pooled = pool.statistics
        let measured = try await slowest()
        let noted = try await all(DiagnosticsSQL.times, [], ServiceDiagnostics.Operation.Statement.init(row:))
        let processes = try await runningProcesses()
        return ServiceDiagnostics.Operation(
            configuration: (processes.first?.settings ?? [:]).merging(configuration) { $1 }, totals: totals,
            pool: ServiceDiagnostics.Operation.Pool(
                maximum: pooled.maximum, busy: pooled.busy, idle: pooled.idle, waiting: pooled.waiting,
                opened: pooled.opened, failed: pooled.failed),
            processes: processes,
            measuredBy: measured == nil ? "trolleyd" : "pg_stat_statements", slowest: measured ?? noted)
    }

    /// Adds this process's statement times to those that all services have recorded.
    package func keepStatementTimes() async throws(StoreError) {
        let times = pool.takeStatementTimes().sorted { $0.name < $1.name }
        guard !times.isEmpty else { return }
        try await execute(
            DiagnosticsSQL.addTimes,
            [
                times.map(\.name), times.map { Int64($0.calls) }, times.map(\.total.microseconds),
                times.map(\.longest.microseconds),
            ])
    }

    /// PostgreSQL's own measurements; nil where the extension is missing or this role may not read them.
    private func slowest() async throws(StoreError) -> [ServiceDiagnostics.Operation.Statement]? {
        let isThere = try await one(DiagnosticsSQL.hasStatistics) { row throws(PostgresError) in
            try row.decode(Bool.self, at: 0)
        }
        guard isThere else { return nil }
        do {
            return try await pool.withConnection { connection in
                try await connection.execute(Query(unescaped: DiagnosticsSQL.slowest)).map { row in
                    try ServiceDiagnostics.Operation.Statement(row: row)
                }
            }
        } catch let error as PostgresError where error.kind == .server {
            // The extension exists but was not loaded when the server started.
            return nil
        } catch {
            throw StoreError(any: error)
        }
    }
}

extension DiagnosedList {
    fileprivate func isOwned(by account: AccountID) -> Bool {
        members.contains { $0.account == account && $0.role == .owner }
    }
}

extension DiagnosedList.Facts {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, head, createdAt, compressedUntil, uncompressedSince, live, discarded) = try row.decode(
            (ListID, SequenceNumber, Timestamp, Timestamp?, Timestamp?, Int64, Int64).self)
        self.init(
            id: id, head: head, createdAt: createdAt, compressedUntil: compressedUntil,
            uncompressedSince: uncompressedSince, live: live, discarded: discarded)
    }
}

extension ServiceDiagnostics.Operation.Statement {
    fileprivate init(row: Row) throws(PostgresError) {
        let (statement, calls, mean, longest) = try row.decode((String, Int64, Double, Double).self)
        self.init(statement: statement, calls: calls, meanMilliseconds: mean, longestMilliseconds: longest)
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
