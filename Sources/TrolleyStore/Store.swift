package import TrolleyJournal
package import TrolleyPostgres

/// The service's data in PostgreSQL: accounts, lists and their journals.
///
/// Each method is one transaction. When it returns, everything that it reports is committed.
package struct Store: Sendable {
    let pool: Pool
    let replica: Replica?
    let appender: Appender
    let sessions: SessionCache
    let sessionLookups: BatchedLookup<[UInt8], KnownToken>
    let batchedReads: BatchedReads
    let topology: Topology
    let writes = WriteHealth()
    let health: HealthConnection
    let gate: FairGate<AccountID>
    /// Long reads of one list.
    let listGate: FairGate<ListID>
    let shortReads: FairGate<AccountID>
    /// The memory that requests hold for what they have read.
    package let memory: ByteBudget<AccountID>
    /// In memory that no request holds.
    let keptCalendars: KeptCalendars
    /// Milliseconds without use after which a session ends; nil: never.
    package let sessionIdle: Int64?
    /// Signals between this process and others on the same database; nil when it is the only one.
    package let signals: ChangeSignals?

    /// A store on a database that ``Migrator`` has brought up to date.
    /// - Parameters:
    ///   - replica: a standby of the database, for reads.
    ///   - sessionIdle: milliseconds without use after which a session ends; nil: never.
    ///   - signals: signals between the processes on the database; nil when this is the only one.
    ///   - nodes: whether lists' statements go straight to their nodes, on a Citus cluster.
    package init(
        pool: Pool, replica: Replica? = nil, reading: ReadingLimits = ReadingLimits(), sessionIdle: Int64? = nil,
        signals: ChangeSignals? = nil, nodes: NodeAccess = .byCoordinator
    ) {
        self.init(
            pool: pool, replica: replica, reading: reading, sessionIdle: sessionIdle, signals: signals, nodes: nodes,
            appending: Appender.Options())
    }

    init(
        pool: Pool, replica: Replica? = nil, reading: ReadingLimits = ReadingLimits(), sessionIdle: Int64? = nil,
        signals: ChangeSignals? = nil, nodes: NodeAccess = .byCoordinator, appending options: Appender.Options
    ) {
        self.pool = pool
        health = HealthConnection(pool.configuration)
        self.signals = signals
        self.sessionIdle = sessionIdle
        self.replica = replica
        let topology = Topology(pool, nodes)
        self.topology = topology
        appender = Appender(pool, topology, options: options)
        batchedReads = BatchedReads(pool)
        gate = FairGate(parallel: reading.parallel, parallelOfKey: 1, waiting: 1000, waitingOfKey: 64)
        listGate = FairGate(
            parallel: .max, parallelOfKey: max(1, reading.parallel / 2), waiting: 1000, waitingOfKey: 64)
        shortReads = FairGate(parallel: reading.parallel, parallelOfKey: 2, waiting: 1000, waitingOfKey: 64)
        let keptCalendars = KeptCalendars(most: reading.bytes / 3)
        self.keptCalendars = keptCalendars
        memory = ByteBudget(total: reading.bytes, share: reading.bytesPerAccount) { keptCalendars.shrink(to: $0) }
        let sessions = SessionCache()
        self.sessions = sessions
        sessionLookups = BatchedLookup { (hashes) throws(StoreError) in
            try await Self.sessions(tokenHashes: hashes, pool, sessions, idle: sessionIdle)
        }
    }

    /// The number of uploads that wait to be appended.
    package var waitingUploads: Int { appender.statistics.waiting }

    /// The use of the connections to the database.
    package var connections: ConnectionStatistics {
        let statistics = pool.statistics
        return ConnectionStatistics(
            maximum: statistics.maximum, inUse: statistics.busy, idle: statistics.idle, waiting: statistics.waiting,
            classes: statistics.classes.map { each in
                ConnectionStatistics.Class(
                    name: "\(each.use)", reserve: each.share.reserve, maximum: each.share.maximum, inUse: each.busy,
                    waiting: each.waiting)
            })
    }

    /// Runs one statement in a transaction of its own.
    @discardableResult
    func execute(_ statement: Statement, _ binds: [any PostgresEncodable] = []) async throws(StoreError) -> Rows {
        try await typed { try await pool.withConnection { try await $0.execute(statement, binds) } }
    }

    /// Runs `body` in a transaction, which is rolled back when `body` throws.
    func transaction<Value>(_ body: (Connection) async throws -> Value) async throws(StoreError) -> Value {
        try await typed { try await pool.withTransaction { try await body($0) } }
    }

    /// Runs a statement that always returns one row.
    func one<Value>(
        _ statement: Statement, _ binds: [any PostgresEncodable] = [],
        _ decode: (Row) throws(PostgresError) -> Value
    ) async throws(StoreError) -> Value {
        guard let value = try await first(statement, binds, decode) else {
            throw .database(PostgresError(.decoding, "\(statement.name) has no row"))
        }
        return value
    }

    /// Runs a statement and returns its first row, if any.
    func first<Value>(
        _ statement: Statement, _ binds: [any PostgresEncodable] = [],
        _ decode: (Row) throws(PostgresError) -> Value
    ) async throws(StoreError) -> Value? {
        let rows = try await execute(statement, binds)
        do { return try rows.first.map(decode) } catch { throw StoreError(error) }
    }

    /// Runs a statement and returns all rows.
    func all<Value>(
        _ statement: Statement, _ binds: [any PostgresEncodable] = [],
        _ decode: (Row) throws(PostgresError) -> Value
    ) async throws(StoreError) -> [Value] {
        let rows = try await execute(statement, binds)
        do { return try rows.map(decode) } catch { throw StoreError(error) }
    }

    /// Runs `body` in a read-only transaction with one snapshot.
    func snapshot<Value>(_ body: (Connection) async throws -> Value) async throws(StoreError) -> Value {
        try await typed { try await pool.withTransaction(isolation: .readOnly) { try await body($0) } }
    }

    func typed<Value>(_ body: () async throws -> Value) async throws(StoreError) -> Value {
        do { return try await body() } catch {
            let error = StoreError(any: error)
            writes.note(error)
            throw error
        }
    }
}
