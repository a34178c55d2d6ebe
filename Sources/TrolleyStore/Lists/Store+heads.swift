public import TrolleyJournal
import TrolleyPostgres

/// How a list stands, for a device that waits for hints.
public struct ListHead: Hashable, Sendable {
    /// The list's newest change.
    public let sequence: SequenceNumber
    /// Stands for who else has the list open: another one is another text, nobody is nil.
    public let company: String?
    /// How far the device's account has read.
    public let read: SequenceNumber?

    public init(sequence: SequenceNumber, company: String? = nil, read: SequenceNumber? = nil) {
        self.sequence = sequence
        self.company = company
        self.read = read
    }

    /// The text that stands for those who have a list open, other than `account`.
    public static func company(of account: AccountID, among present: [AccountID]) -> String? {
        let others = present.filter { $0 != account }.map(\.description).sorted()
        return others.isEmpty ? nil : others.joined(separator: " ")
    }
}

/// Who has changed a list, and up to where.
public struct ListAuthor: Hashable, Sendable {
    public let list: ListID
    /// nil: not a device; the share changed, or compression was here.
    public let device: DeviceID?
    /// The newest change of theirs.
    public let newest: SequenceNumber
}

extension Store {
    /// Of some devices, those that are signed in.
    public func signedIn(_ devices: [DeviceID]) async throws(StoreError) -> Set<DeviceID> {
        Set(
            try await all(HeadSQL.signedIn, [devices]) { row throws(PostgresError) in
                try row.decode(DeviceID.self, at: 0)
            })
    }

    /// How the lists of each account stand. An account without a list is not in the answer. While a node is away, its lists are
    /// not in the answer either, and of the others only the newest change is told.
    public func heads(of accounts: [AccountID]) async throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        do throws(StoreError) {
            return try await everyHead(of: accounts)
        } catch  where error.isNodeAway {
            return try await topology.reachableHeads(of: accounts).heads.mapValues { heads in
                heads.mapValues { ListHead(sequence: $0) }
            }
        }
    }

    private func everyHead(of accounts: [AccountID]) async throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        let rows = try await execute(HeadSQL.ofAccounts, [accounts])
        var heads: [AccountID: [ListID: ListHead]] = [:]
        do {
            for row in rows {
                let (account, list, head, company, read) = try row.decode(
                    (AccountID, ListID, SequenceNumber, String?, SequenceNumber?).self)
                heads[account, default: [:]][list] = ListHead(sequence: head, company: company, read: read)
            }
        } catch { throw StoreError(error) }
        return heads
    }

    /// Who made the changes of each list that follow the given sequence.
    public func authors(after known: [ListID: SequenceNumber]) async throws(StoreError) -> [ListAuthor] {
        guard try await topology.isDistributed() else {
            return try await all(HeadSQL.authors, [Array(known.keys), Array(known.values)], ListAuthor.init(row:))
        }
        var authors: [ListAuthor] = []
        for (list, sequence) in known {
            do throws(StoreError) {
                authors += try await all(HeadSQL.authorsOfList, [list, sequence], ListAuthor.init(row:))
            } catch  where error.isNodeAway {
                // Its node went away just now; who hears of the list can't read it either.
            }
        }
        return authors
    }

    /// Tells the other processes that something changed.
    /// - Parameter sender: names this process, which need not listen to itself.
    public func notifyOthers(as sender: String) async throws(StoreError) {
        try await execute(HeadSQL.notify, [sender])
    }
}

extension ListAuthor {
    fileprivate init(row: Row) throws(PostgresError) {
        let (list, device, newest) = try row.decode((ListID, DeviceID?, SequenceNumber).self)
        self.init(list: list, device: device, newest: newest)
    }
}
