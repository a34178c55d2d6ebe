package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// All data of an account as JSON, in pieces that are read when the caller asks for them. Between calls it holds no
/// database connection and nothing long in memory, except the fold of a list whose items are being written.
package struct AccountExport: Sendable {
    private let store: Store
    private let account: AccountResponse
    private let now: Timestamp
    private var lists: ArraySlice<ListID>
    private var stage = Stage.opening
    /// The memory of the last piece.
    private var reservation: ReadReservation?
    private var hasLists = false

    private enum Stage {
        case opening
        case nextList
        case state(StatePieces, then: ExportedJournal)
        case journal(ExportedJournal)
        case done
    }

    /// - Parameter lists: lists that leave the account before they are read are left out.
    package init(of account: AccountResponse, _ lists: [ListID], at now: Timestamp, from store: Store) {
        self.store = store
        self.account = account
        self.now = now
        self.lists = lists[...]
    }

    /// The next piece; nil at the end.
    /// - Throws: `StoreError`, also when a list left the account after a part of it was written: then the file has no
    ///   `complete`.
    package mutating func next() async throws(StoreError) -> [UInt8]? {
        reservation = nil
        while true {
            switch stage {
            case .opening:
                stage = .nextList
                let notifications = try await store.exportedNotifications(of: account.id)
                return Export.opening(account: account, notifications: notifications, at: now)
            case .nextList:
                if let piece = try await beginList() { return piece }
            case .state(var pieces, let journal):
                if let piece = pieces.next() {
                    stage = .state(pieces, then: journal)
                    return piece
                }
                stage = .journal(journal)
            case .journal(var journal):
                let (piece, isLast) = try await journal.next(from: store, for: account.id)
                stage = isLast ? .nextList : .journal(journal)
                if piece.count > Store.maxUncountedBytes {
                    reservation = try store.reserve(piece.count, for: account.id)
                }
                return piece
            case .done: return nil
            }
        }
    }

    /// - Returns: nil when the list is gone.
    private mutating func beginList() async throws(StoreError) -> [UInt8]? {
        guard let list = lists.popFirst() else {
            stage = .done
            return Export.closing
        }
        do {
            var (pieces, journal) = try await store.exported(list, for: account.id)
            let piece = pieces.next() ?? []
            stage = .state(pieces, then: journal)
            defer { hasLists = true }
            return hasLists ? [UInt8(ascii: ",")] + piece : piece
        } catch {
            switch error {
            case .notOnList, .gone: return nil
            default: throw error
            }
        }
    }
}

/// How much of a list's journal is written.
struct ExportedJournal: Sendable {
    fileprivate let list: ListID
    fileprivate let sharing: ExportedSharing
    fileprivate let isPartial: Bool
    private var after = SequenceNumber.start
    private var writer = JSONWriter()

    fileprivate init(of list: ListID, sharing: ExportedSharing, isPartial: Bool) {
        self.list = list
        self.sharing = sharing
        self.isPartial = isPartial
    }

    /// The next page of the journal. Compression may move entries between tables meanwhile; that changes nothing here.
    fileprivate mutating func next(
        from store: Store, for account: AccountID
    ) async throws(StoreError) -> (piece: [UInt8], isLast: Bool) {
        let rows = try await store.journal(of: self, after: after, for: account)
        var isLast = rows.count < EntrySQL.atATime
        do {
            try rows.eachEntry { entry, _ throws(StoreError) in
                guard entry.sequence <= sharing.list.head else { return isLast = true }
                entry.write(to: &writer)
                after = entry.sequence
            }
        } catch { throw StoreError(any: error) }
        if isLast { sharing.writeEnd(to: &writer) }
        return (writer.take(), isLast)
    }
}

extension Store {
    /// A list's state, share and metadata from one snapshot, and where its journal begins.
    /// - Throws: `.notOnList`, `.gone`, `.overloaded`, `.tooLong`.
    fileprivate func exported(
        _ list: ListID, for account: AccountID
    ) async throws(StoreError) -> (StatePieces, ExportedJournal) {
        try await withReadTurn(for: account) {
            try await snapshot { connection in
                let answers = try await connection.pipeline([
                    .execute(ListSQL.forAccount, [account, list]), .execute(ArchiveSQL.retained, [list]),
                    .execute(ActivitySQL.epoch),
                ])
                guard let row = answers[0].first else {
                    throw try await connection.membershipError(of: account, from: list)
                }
                let found = try ListResponse(row: row)
                let sharing = ExportedSharing(
                    list: found, share: try await connection.share(of: list).shown(to: found.role))
                let epoch = try answers[2][0].decode(PostgresUUID.self, at: 0)
                let position = Position(head: found.head, epoch: UUIDBits(high: epoch.high, low: epoch.low))
                let folded = try await connection.fold(list, at: position, memory.reservation(for: account))
                let journal = ExportedJournal(
                    of: list, sharing: sharing, isPartial: try answers[1][0].decode(Bool.self, at: 1))
                return (StatePieces(folded, sharing: sharing), journal)
            }
        }
    }

    fileprivate func journal(
        of journal: ExportedJournal, after: SequenceNumber, for account: AccountID
    ) async throws(StoreError) -> Rows {
        try await withReadTurn(for: account) {
            try await snapshot { connection in
                // Checked for each page: the account may have been removed meanwhile.
                try await connection.requireMembership(of: account, on: journal.list)
                return try await connection.execute(
                    EntrySQL.activityRange, [journal.list, journal.isPartial, after, EntrySQL.atATime])
            }
        }
    }
}
