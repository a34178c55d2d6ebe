import Synchronization
import TrolleyJournal
import TrolleyPostgres

/// Where the database keeps lists: all on one server, or spread over the nodes of a Citus cluster, each whole on one node.
///
/// A statement about several lists is one statement on one server. On a cluster it is one for each shard or each list, and while a
/// node is away its lists are away and the others are not. Whoever has both ways asks here which one to take.
final class Topology: Sendable {
    /// A part of the cluster that lists stand in together.
    typealias Shard = Int64

    private struct State {
        /// nil until the database has said it.
        var isDistributed: Bool?
        var shards: [ListID: Shard] = [:]
    }

    /// Lists whose shard is remembered.
    private static let mostRemembered = 100_000

    private let pool: Pool
    private let state = Mutex(State())

    init(_ pool: Pool) { self.pool = pool }

    /// Whether lists are spread over nodes. The database is asked once.
    func isDistributed() async throws(StoreError) -> Bool {
        if let known = state.withLock(\.isDistributed) { return known }
        do {
            let rows = try await pool.withConnection { try await $0.execute(TopologySQL.isDistributed) }
            let isDistributed = try rows[0].decode(Bool.self, at: 0)
            state.withLock { $0.isDistributed = isDistributed }
            return isDistributed
        } catch { throw StoreError(any: error) }
    }

    /// The shard of each list, where lists are spread.
    func shards(of lists: Set<ListID>) async throws(StoreError) -> [ListID: Shard] {
        let known = state.withLock { state in state.shards.filter(lists: lists) }
        let unknown = lists.filter { known[$0] == nil }
        if unknown.isEmpty { return known }
        do {
            let rows = try await pool.withConnection { try await $0.execute(TopologySQL.shards, [Array(unknown)]) }
            var found: [ListID: Shard] = [:]
            for row in rows { found[try row.decode(at: 0)] = try row.decode(Shard.self, at: 1) }
            state.withLock { [found] state in
                if state.shards.count + found.count > Self.mostRemembered { state.shards = [:] }
                state.shards.merge(found) { $1 }
            }
            return known.merging(found) { $1 }
        } catch { throw StoreError(any: error) }
    }

    /// Forgets which shards lists are in: a shard was split.
    func forgetShards() { state.withLock { $0.shards = [:] } }

    // MARK: While a node is away

    /// What can be said of accounts' lists while nodes are away.
    struct ReachableHeads {
        /// For each account its lists that can be reached, with their newest changes.
        var heads: [AccountID: [ListID: SequenceNumber]] = [:]
        /// The shards that can't.
        var unreachable: Set<Shard> = []
    }

    /// Asks each shard by itself. Slower than to ask all of them at once: only for when that has failed.
    func reachableHeads(of accounts: [AccountID]) async throws(StoreError) -> ReachableHeads {
        do {
            let rows = try await pool.withConnection { try await $0.execute(TopologySQL.heads, [accounts]) }
            var found = ReachableHeads()
            for row in rows {
                let (shard, isReached, account, list, head) = try row.decode(
                    (Shard, Bool, AccountID?, ListID?, SequenceNumber?).self)
                if !isReached { found.unreachable.insert(shard) }
                if let account, let list, let head { found.heads[account, default: [:]][list] = head }
            }
            return found
        } catch { throw StoreError(any: error) }
    }

    /// The lists that can be reached and to which invitations with a secret lead. Asked as ``reachableHeads(of:)`` is.
    func lists(bySecret hash: [UInt8]) async throws(StoreError) -> [ListID] {
        do {
            let rows = try await pool.withConnection { try await $0.execute(TopologySQL.listsBySecret, [hash]) }
            return try rows.compactMap { try $0.decode(ListID?.self, at: 2) }
        } catch { throw StoreError(any: error) }
    }

    /// Those of the lists that stand in one of the shards.
    func lists(_ lists: Set<ListID>, in shards: Set<Shard>) async throws(StoreError) -> Set<ListID> {
        if lists.isEmpty || shards.isEmpty { return [] }
        let places = try await self.shards(of: lists)
        return lists.filter { places[$0].map(shards.contains) ?? false }
    }
}

extension [ListID: Topology.Shard] {
    fileprivate func filter(lists: Set<ListID>) -> [ListID: Topology.Shard] {
        var found: [ListID: Topology.Shard] = [:]
        for list in lists { found[list] = self[list] }
        return found
    }
}
