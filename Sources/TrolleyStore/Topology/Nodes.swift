import TrolleyJournal
import TrolleyPostgres

/// The ways in which a store on a Citus cluster answers where one statement would take lists of several nodes. Everything about
/// nodes stands in this folder; a method of the store that has two ways asks for this one first (``Store/nodes()``).
struct Nodes {
    let store: Store
}

extension Store {
    /// - Returns: nil when all lists are on one server. Asks the database once (``Topology``).
    func nodes() async throws(StoreError) -> Nodes? {
        try await topology.isDistributed() ? Nodes(store: self) : nil
    }

    /// The number of nodes to which this store may connect, besides the database that it was made for.
    package func directNodes() async throws(StoreError) -> Int { try await topology.directNodes() }

    /// Closes the connections to nodes, each when its last statement has ended. Statements go to the coordinator from then on.
    package func leaveNodes() async { await topology.leaveNodes() }
}

extension Nodes {
    /// The new changes of an account's lists.
    /// - Parameter named: the lists that the device has.
    func changes(
        for account: AccountID, device: DeviceID?, after: [ListID: SequenceNumber], named: Set<ListID>, limit: Int
    ) async throws(StoreError) -> AllChanges {
        try await DistributedReading(store: store, account: account, after: after, limit: limit)
            .changes(for: device, named: named)
    }

    /// The authors of each list's changes after the given sequence.
    func authors(after known: [ListID: SequenceNumber]) async throws(StoreError) -> [ListAuthor] {
        var authors: [ListAuthor] = []
        for (list, sequence) in known {
            do throws(StoreError) {
                authors += try await store.all(HeadSQL.authorsOfList, [list, sequence], ListAuthor.init(row:))
            } catch  where error.isNodeAway {
                // The list's node has just become unreachable, so no listener can read the list either.
            }
        }
        return authors
    }

    /// The number of hosted devices that are examined together.
    private static let hostedCandidates = 500

    /// Hosted devices that have work and no lease. Devices are on the coordinator and lists on the nodes, so the devices' lists are
    /// compared with the lists' heads here.
    /// - Parameter accounts: only those of these accounts; nil: all.
    func hostedDevicesWithWork(
        of accounts: Set<AccountID>?, limit: Int
    ) async throws(StoreError) -> [Session] {
        var found: [Session] = []
        var last = DeviceID(UUIDBits(high: 0, low: 0))
        while found.count < limit {
            let candidates = try await store.all(
                HostedDeviceSQL.candidates, [last, Self.hostedCandidates, accounts.map { Array($0) }],
                HostedCandidate.init(row:))
            if candidates.isEmpty { break }
            let heads = try await store.heads(of: Array(Set(candidates.map(\.session.account))))
            found += candidates.filter { $0.hasWork(on: heads[$0.session.account] ?? [:]) }.map(\.session)
            guard candidates.count == Self.hostedCandidates, let end = candidates.last else { break }
            last = end.session.device
        }
        return Array(found.prefix(limit))
    }
}
