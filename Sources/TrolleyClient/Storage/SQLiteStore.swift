import GRDB
public import TrolleySync

/// A device's lists and queues in one SQLite file. Several processes may use it at once.
public final class SQLiteStore: Sendable {
    let queue: DatabaseQueue
    private let key: ContentKey
    private let folds: FoldCache
    private let bundleSizes: BundleSizes
    /// The only session for which it reads and writes; nil: whichever is the device's.
    private let session: AccountSession?

    /// Opens the store in a directory. Creates the directory and the store if they don't exist.
    public convenience init(directory: String) throws(QueueStoreError) {
        try self.init(directory: directory, bundleSizes: BundleSizes())
    }

    init(directory: String, bundleSizes: BundleSizes) throws(QueueStoreError) {
        guard PrivateFile.makeDirectory(directory) else {
            throw .failed("the directory '\(directory)' can't be made, or isn't yours")
        }
        key = try ContentKey(path: directory + "/key")
        folds = FoldCache()
        self.bundleSizes = bundleSizes
        session = nil
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        do {
            queue = try DatabaseQueue(path: directory + "/device.sqlite", configuration: configuration)
            // Not by GRDB's configuration: that would write to the file at each opening, and so wait for another program that
            // writes. It would also set NORMAL, which can lose the last changes in a power failure.
            try queue.writeWithoutTransaction { db in
                guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                    throw QueueStoreError.failed("the database can't have a write-ahead log")
                }
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            try Schema.migrator.migrate(queue)
        } catch {
            throw QueueStoreError(error)
        }
    }

    /// A store in memory, which is gone with this object.
    public init() throws(QueueStoreError) {
        key = ContentKey()
        folds = FoldCache()
        bundleSizes = BundleSizes()
        session = nil
        do {
            queue = try DatabaseQueue()
            try Schema.migrator.migrate(queue)
        } catch {
            throw QueueStoreError(error)
        }
    }

    /// The store for what a session asks of its service and is answered. Somebody may sign out or in meanwhile, also in another
    /// process: then each transaction throws `QueueStoreError.sessionEnded`, and so stores nothing for the wrong person.
    func during(_ session: AccountSession) -> SQLiteStore { SQLiteStore(self, during: session) }

    private init(_ store: SQLiteStore, during session: AccountSession) {
        queue = store.queue
        key = store.key
        folds = store.folds
        bundleSizes = store.bundleSizes
        self.session = session
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(QueueStoreError) -> Value {
        try await uncancelled { [self] in
            let (value, made) = try await queue.read { [self] in try transact($0, isReading: true, body) }
            keep(made)
            await storeCopies(made)
            return value
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(QueueStoreError) -> Value {
        try await uncancelled { [self] in
            let (value, made) = try await queue.write { [self] in try transact($0, isReading: false, body) }
            keep(made)
            return value
        }
    }

    /// The result of a transaction, and the folds that are valid once it has committed.
    func transact<Value>(
        _ db: Database, isReading: Bool, _ body: (borrowing StoreTransaction) throws -> Value
    ) throws -> (Value, TransactionFolds.Made) {
        let folds = TransactionFolds(folds, bundleSizes: isReading ? bundleSizes : nil)
        let transaction = StoreTransaction(db: db, key: key, folds: folds)
        if let session, try !transaction.isPresent(session) { throw QueueStoreError.sessionEnded }
        return (try body(transaction), folds.made)
    }

    /// A transaction that makes nothing to keep.
    func transaction(on db: Database) -> StoreTransaction {
        StoreTransaction(db: db, key: key, folds: TransactionFolds(folds))
    }

    /// Keeps the folds that a transaction has made.
    func keep(_ made: TransactionFolds.Made) { folds.keep(made) }

    /// Drops cached folds that received changes make useless.
    func forgetFolds() { folds.forget() }

    /// Runs a write to its end even if the task is cancelled. Cancelling a sync that takes too long stops its calls,
    /// never its writes.
    private func uncancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(QueueStoreError) -> Value {
        do {
            return try await Task { try await body() }.value
        } catch {
            throw QueueStoreError(error)
        }
    }
}

extension QueueStoreError {
    /// The session has ended for which the store is used (``SQLiteStore/during(_:)``). Nothing was read or stored.
    static let sessionEnded = QueueStoreError.failed("the session has ended")

    init(_ error: any Error) {
        switch error {
        case let error as QueueStoreError: self = error
        case let error as DatabaseError where error.resultCode == .SQLITE_BUSY: self = .busy
        case let error as DatabaseError where error.resultCode == .SQLITE_NOTADB || error.resultCode == .SQLITE_CORRUPT:
            self = .unreadable("the database is damaged")
        case let error as DatabaseError: self = .failed(error.message ?? "SQLite error \(error.resultCode.rawValue)")
        case is CancellationError: self = .failed("it was cancelled")
        default: self = .failed("\(error)")
        }
    }
}
