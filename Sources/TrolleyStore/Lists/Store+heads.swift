package import TrolleyJournal
import TrolleyPostgres

/// The state of a list, for a device that listens for hints.
package struct ListHead: Hashable, Sendable {
    /// The sequence of the list's newest change.
    package let sequence: SequenceNumber
    /// A fingerprint of the other people who have the list open: it changes when they change. nil if there are none.
    package let presenceFingerprint: String?
    /// How far the device's account has read.
    package let read: SequenceNumber?
    /// The last change that the account's newest summary covers.
    package let summarized: SequenceNumber?
    /// How often the account has changed the list's place.
    package let placed: Int64

    package init(
        sequence: SequenceNumber, presenceFingerprint: String? = nil, read: SequenceNumber? = nil,
        summarized: SequenceNumber? = nil, placed: Int64 = 0
    ) {
        self.sequence = sequence
        self.presenceFingerprint = presenceFingerprint
        self.read = read
        self.summarized = summarized
        self.placed = placed
    }

    /// The fingerprint of the people who have a list open, other than `account`.
    package static func presenceFingerprint(of account: AccountID, among present: [AccountID]) -> String? {
        let others = present.filter { $0 != account }.map(\.description).sorted()
        return others.isEmpty ? nil : others.joined(separator: " ")
    }
}

/// A device that changed a list, and its newest change.
package struct ListAuthor: Hashable, Sendable {
    package let list: ListID
    /// nil when no device made the change: the share changed, or the list was compressed.
    package let device: DeviceID?
    /// The sequence of its newest change.
    package let newest: SequenceNumber
}

extension Store {
    /// The signed-in devices among the given ones.
    package func signedIn(_ devices: [DeviceID]) async throws(StoreError) -> Set<DeviceID> {
        Set(
            try await all(HeadSQL.signedIn, [devices]) { row throws(PostgresError) in
                try row.decode(DeviceID.self, at: 0)
            })
    }

    /// The heads of each account's lists. The answer leaves out accounts without lists. While a node is unreachable,
    /// the answer also leaves out that node's lists, and contains only the sequence for the others.
    package func heads(of accounts: [AccountID]) async throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        if let nodes = try await self.nodes() { return try await nodes.heads(of: accounts) }
        return try await allHeads(of: accounts)
    }

    /// The heads of these lists, for each account on them.
    package func heads(ofLists lists: [ListID]) async throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        try Self.heads(in: try await execute(HeadSQL.ofLists, [lists]))
    }

    /// The accounts on each of these lists.
    package func people(of lists: [ListID]) async throws(StoreError) -> [ListID: Set<AccountID>] {
        var people: [ListID: Set<AccountID>] = [:]
        let rows = try await all(HeadSQL.people, [lists]) { row throws(PostgresError) in
            try row.decode((ListID, AccountID).self)
        }
        for (list, account) in rows { people[list, default: []].insert(account) }
        return people
    }

    func allHeads(of accounts: [AccountID]) async throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        try Self.heads(in: try await execute(HeadSQL.ofAccounts, [accounts]))
    }

    private static func heads(in rows: Rows) throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        var heads: [AccountID: [ListID: ListHead]] = [:]
        do {
            for row in rows {
                let (account, list, head, presenceFingerprint, read, summarized, placed) = try row.decode(
                    (AccountID, ListID, SequenceNumber, String?, SequenceNumber?, SequenceNumber?, Int64).self)
                heads[account, default: [:]][list] = ListHead(
                    sequence: head, presenceFingerprint: presenceFingerprint, read: read, summarized: summarized,
                    placed: placed)
            }
        } catch { throw StoreError(error) }
        return heads
    }

    /// The authors of each list's changes after the given sequence.
    package func authors(after known: [ListID: SequenceNumber]) async throws(StoreError) -> [ListAuthor] {
        if let nodes = try await self.nodes() { return try await nodes.authors(after: known) }
        return try await all(HeadSQL.authors, [Array(known.keys), Array(known.values)], ListAuthor.init(row:))
    }

    /// Tells the other processes what has changed.
    /// - Parameter sender: identifies this process, which ignores its own signals.
    package func notifyOthers(of signals: Set<ChangeSignal>, as sender: String) async throws(StoreError) {
        try await execute(HeadSQL.notify, [ChangePayload.payloads(of: signals, from: sender)])
    }
}

extension ListAuthor {
    init(row: Row) throws(PostgresError) {
        let (list, device, newest) = try row.decode((ListID, DeviceID?, SequenceNumber).self)
        self.init(list: list, device: device, newest: newest)
    }
}
