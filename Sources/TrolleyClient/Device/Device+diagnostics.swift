import GRDB
import TrolleyJournal
import TrolleySync
public import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Device {
    /// Diagnostics to send with a bug report.
    ///
    /// ```swift
    /// let report = try await device.diagnostics()
    /// print(report.platform)
    /// ```
    /// - Parameter withContent: whether to include text that people wrote.
    public func diagnostics(withContent: Bool = false) async throws(DeviceError) -> DeviceDiagnostics {
        let session = try await session()
        let now = clock()
        return try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.diagnostics(session: session, at: now, withContent: withContent)
        }
    }
}

extension SQLiteStore {
    /// The largest number of entries for each list.
    private static var maxEntriesPerList: Int { 20_000 }

    fileprivate func diagnostics(
        session: AccountSession?, at now: DeviceTime, withContent: Bool
    ) async throws(QueueStoreError) -> DeviceDiagnostics {
        let retryState = try await deviceStatus().retryState
        let hidden = try await hiddenLists()
        return try await read { transaction in
            let lists = try transaction.lists().map { row in
                let confirmed = try transaction.journal(of: row).confirmed
                let waiting = try transaction.waiting(in: row, limit: .max)
                let sent = try transaction.sentEntries(in: row)
                let toApply = try transaction.confirmedEntries(of: row, applied: false)
                let received = (confirmed + toApply).sorted { $0.sequence < $1.sequence }
                let hidden = Set(toApply.map(\.sequence))
                let state = ListState(folding: received)
                return DeviceDiagnostics.List(
                    id: row.id, isPublished: row.published, isLocal: row.local, isKept: row.former != nil,
                    isShopping: row.shopping, through: row.through,
                    confirmed: confirmed.count, differed: row.differed, differedAt: row.differedAt,
                    digest: state.digest,
                    upload: Dictionary(waiting.map { ($0.entry.operation, 1) }, uniquingKeysWith: +),
                    toApply: Dictionary(toApply.map { ($0.entry.operation, 1) }, uniquingKeysWith: +),
                    name: withContent ? state.name : nil, token: row.token,
                    entries: received.suffix(Self.maxEntriesPerList).map {
                        DumpedEntry($0, waits: hidden.contains($0.sequence), withContent: withContent)
                    },
                    queued: waiting.map { queued in
                        let state: DumpedEntry.State =
                            queued.isOffered ? .offered : sent.contains(queued.entry.id) ? .sent : .new
                        return DumpedEntry(
                            waiting: queued.entry, age: queued.made.age(at: now), state, withContent: withContent)
                    },
                    entriesOmitted: max(0, received.count - Self.maxEntriesPerList))
            }
            var diagnostics = DeviceDiagnostics(
                versions: .init(trolley: SoftwareVersion.current, protocolVersion: ProtocolVersion.current),
                platform: Platform.description,
                limits: .init(
                    announced: retryState.limits, entries: retryState.learnedEntries, until: retryState.learnedUntil),
                server: session?.server, account: session?.account, device: session?.device, now: now.wall,
                boot: now.boot, uptime: now.uptime, failuresInARow: retryState.failures, nextTry: retryState.nextTry,
                askedToWait: retryState.askedToWait, sessionEndedAt: retryState.sessionEndedAt)
            diagnostics.hidden = hidden.map { DeviceDiagnostics.Hidden(lists: $0.lists, waiting: $0.waiting) }
            diagnostics.failures = (retryState.lately ?? []).map {
                DeviceDiagnostics.Failure(code: $0.code, count: $0.count, at: $0.at)
            }
            diagnostics.lists = lists
            diagnostics.rejected = try transaction.rejected().map {
                DeviceDiagnostics.Rejected(list: $0.list, entry: $0.entry, code: $0.code, at: $0.rejectedAt)
            }
            diagnostics.notices = try transaction.notices().map {
                DeviceDiagnostics.Notice(list: $0.list, reason: $0.reason, keptAside: $0.keptAside, at: $0.at)
            }
            diagnostics.hasContent = withContent
            return diagnostics
        }
    }
}

extension StoreTransaction {
    /// The entries of the upload queue that were sent before.
    fileprivate func sentEntries(in list: ListRow) throws -> Set<EntryID> {
        let ids = try Data.fetchAll(
            db, sql: "SELECT id FROM pending WHERE list = ? AND sequence IS NULL AND sent = 1", arguments: [list.key])
        return Set(try ids.map { try EntryID(data: $0) })
    }
}
