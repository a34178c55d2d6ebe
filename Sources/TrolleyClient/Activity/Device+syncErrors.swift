import GRDB
public import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Periods in which syncing failed, for the device's Activity (seed 002, part 8).

/// A period in which syncing failed.
public struct SyncErrorPeriod: Hashable, Sendable {
    /// The times of the first and last failure, by the device's clock.
    public var at: Timestamp
    public var until: Timestamp
    /// The service's code, or `unreachable` or `notUnderstood`.
    public var code: String
    /// The failure as a sentence.
    public var sentence: String
    public var tries: Int
    /// Whether a sync has succeeded since.
    public var isOver: Bool
}

extension Device {
    /// The latest periods in which syncing failed, newest first.
    ///
    /// ```swift
    /// for period in try await device.syncErrors() where !period.isOver { print(period.sentence, period.tries) }
    /// ```
    public func syncErrors() async throws(DeviceError) -> [SyncErrorPeriod] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.syncErrors() }
    }

    /// Records the result of a run.
    func note(_ failure: SyncFailure?, of session: AccountSession) async throws(DeviceError) {
        let now = clock().wall
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.during(session).noteSync(failure, at: now)
        }
    }
}

extension SQLiteStore {
    /// The maximum number of stored periods.
    private static var mostErrors: Int { 200 }

    fileprivate func syncErrors() async throws(QueueStoreError) -> [SyncErrorPeriod] {
        try await read { transaction in
            try Row.fetchAll(
                transaction.db,
                sql:
                    "SELECT code, at, until, tries, ended, content FROM sync_error WHERE account = ? ORDER BY key DESC",
                arguments: [try transaction.account()]
            ).map { row in
                let code: String = row[0]
                let sentence = String(decoding: try transaction.key.open(row[5], at: Array(code.utf8)), as: UTF8.self)
                return SyncErrorPeriod(
                    at: Timestamp(milliseconds: row[1]), until: Timestamp(milliseconds: row[2]), code: code,
                    sentence: sentence, tries: row[3], isOver: row[4])
            }
        }
    }

    fileprivate func noteSync(_ failure: SyncFailure?, at now: Timestamp) async throws(QueueStoreError) {
        let isOpen = try await read { transaction in
            try Bool.fetchOne(
                transaction.db, sql: "SELECT EXISTS (SELECT 1 FROM sync_error WHERE account = ? AND ended = 0)",
                arguments: [try transaction.account()]) ?? false
        }
        guard let failure else {
            // Most runs write nothing.
            guard isOpen else { return }
            return try await write { transaction in
                try transaction.db.execute(
                    sql: "UPDATE sync_error SET ended = 1 WHERE account = ? AND ended = 0",
                    arguments: [try transaction.account()])
            }
        }
        guard let code = failure.word else { return }
        try await write { transaction in
            let account = try transaction.account()
            try transaction.db.execute(
                sql: "UPDATE sync_error SET until = ?, tries = tries + 1 WHERE account = ? AND code = ? AND ended = 0",
                arguments: [now.milliseconds, account, code])
            if transaction.db.changesCount > 0 { return }
            let content = try transaction.key.seal(Array(failure.description.utf8), at: Array(code.utf8))
            try transaction.db.execute(
                sql: "UPDATE sync_error SET ended = 1 WHERE account = ? AND ended = 0", arguments: [account])
            try transaction.db.execute(
                sql: "INSERT INTO sync_error (account, code, at, until, tries, content) VALUES (?, ?, ?, ?, 1, ?)",
                arguments: [account, code, now.milliseconds, now.milliseconds, content])
            try transaction.db.execute(
                sql: """
                    DELETE FROM sync_error WHERE key IN
                      (SELECT key FROM sync_error WHERE account = ? ORDER BY key DESC LIMIT -1 OFFSET ?)
                    """, arguments: [account, Self.mostErrors])
        }
    }
}
