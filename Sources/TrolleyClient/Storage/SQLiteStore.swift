import GRDB
public import TrolleySync

/// A device's lists and queues in one SQLite file. Several processes may use it at once.
public final class SQLiteStore: Sendable {
    let queue: DatabaseQueue
    private let key: ContentKey
    private let folds = FoldCache()

    /// Opens the store in a directory. Creates the directory and the store if they don't exist.
    public init(directory: String) throws(QueueStoreError) {
        guard PrivateFile.makeDirectory(directory) else {
            throw .failed("the directory '\(directory)' can't be made, or isn't yours")
        }
        key = try ContentKey(path: directory + "/key")
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.journalMode = .wal
        do {
            queue = try DatabaseQueue(path: directory + "/device.sqlite", configuration: configuration)
            // Set at this point because GRDB sets NORMAL with the write-ahead log, and NORMAL can lose the last changes
            // in a power failure.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Schema.migrator.migrate(queue)
        } catch {
            throw QueueStoreError(error)
        }
    }

    /// A store in memory, which is gone with this object.
    public init() throws(QueueStoreError) {
        key = ContentKey()
        do {
            queue = try DatabaseQueue()
            try Schema.migrator.migrate(queue)
        } catch {
            throw QueueStoreError(error)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(QueueStoreError) -> Value {
        try await uncancelled { [self] in try await keeping(queue.read { [self] in try transact($0, body) }) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(QueueStoreError) -> Value {
        try await uncancelled { [self] in try await keeping(queue.write { [self] in try transact($0, body) }) }
    }

    /// The result of a transaction, and the folds that are valid once it has committed.
    func transact<Value>(
        _ db: Database, _ body: (borrowing StoreTransaction) throws -> Value
    ) throws -> (Value, TransactionFolds.Made) {
        let folds = TransactionFolds(folds)
        return (try body(StoreTransaction(db: db, key: key, folds: folds)), folds.made)
    }

    func keeping<Value>(_ result: (Value, TransactionFolds.Made)) -> Value {
        folds.keep(result.1)
        return result.0
    }

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
