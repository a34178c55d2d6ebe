import Synchronization
import TrolleyJournal
import TrolleyPostgres

/// Where the database keeps lists: on one server, or on the nodes of a Citus cluster, each list whole on one node.
///
/// On one server, one statement can take several lists. On a cluster it takes one statement for each shard or list, and
/// while a node is unreachable only its lists are unavailable. Code that has both ways asks this type which one to
/// take. On a cluster, statements about one list go straight to its node where that is possible (``NodePools``).
final class Topology: Sendable {
    /// A part of the cluster; all rows of its lists are together.
    typealias Shard = Int64

    private struct State {
        /// nil until the database has been asked.
        var isDistributed: Bool?
        var shards: [ListID: Shard] = [:]
    }

    /// The largest number of lists whose shard is remembered.
    private static let maxCachedShards = 100_000

    private let pool: Pool
    private let nodes: NodePools
    private let state = Mutex(State())

    init(_ pool: Pool, _ access: NodeAccess) {
        self.pool = pool
        nodes = NodePools(pool, access)
    }

    /// Whether lists are on several nodes. Asks the database once.
    func isDistributed() async throws(StoreError) -> Bool {
        if let known = state.withLock(\.isDistributed) { return known }
        do {
            let rows = try await pool.withConnection(for: .shortRead) {
                try await $0.execute(TopologySQL.isDistributed)
            }
            let isDistributed = try rows[0].decode(Bool.self, at: 0)
            state.withLock { $0.isDistributed = isDistributed }
            return isDistributed
        } catch { throw StoreError(any: error) }
    }

    /// The shard of each list, where lists are on several nodes.
    func shards(of lists: Set<ListID>) async throws(StoreError) -> [ListID: Shard] {
        let known = state.withLock { state in state.shards.filter(lists: lists) }
        let unknown = lists.filter { known[$0] == nil }
        if unknown.isEmpty { return known }
        do {
            let rows = try await pool.withConnection(for: .shortRead) {
                try await $0.execute(TopologySQL.shards, [Array(unknown)])
            }
            var found: [ListID: Shard] = [:]
            for row in rows { found[try row.decode(at: 0)] = try row.decode(Shard.self, at: 1) }
            state.withLock { [found] state in
                if state.shards.count + found.count > Self.maxCachedShards { state.shards = [:] }
                state.shards.merge(found) { $1 }
            }
            return known.merging(found) { $1 }
        } catch { throw StoreError(any: error) }
    }

    /// Forgets the shards of lists and where these are, because a shard was split or moved.
    func forgetShards() {
        state.withLock { $0.shards = [:] }
        nodes.forget()
    }

    /// The number of nodes to which statements about one list may go straight.
    func directNodes() async throws(StoreError) -> Int {
        guard nodes.isDirect, try await isDistributed() else { return 0 }
        do {
            let rows = try await pool.withConnection(for: .shortRead) { try await $0.execute(TopologySQL.nodeCount) }
            return Int(try rows[0].decode(Int64.self, at: 0))
        } catch { throw StoreError(any: error) }
    }

    /// Sends all statements to the coordinator from now on. Returns when the last statement on a node has ended.
    func leaveNodes() async { await nodes.close() }

    // MARK: Straight to a node

    /// Runs statements about the lists of one shard: on the node that has it, if this process can ask it, otherwise on the
    /// coordinator.
    /// - Parameter body: gets the connections, and whether they are the node's. It runs again on the coordinator when the node
    ///   fails, which may have stored already what it was sent.
    func onNode<Value>(
        of shard: Shard?, _ body: (_ pool: Pool, _ isOnNode: Bool) async throws -> Value
    ) async throws -> Value {
        guard let shard, let (node, nodePool) = nodes.node(of: shard) else { return try await body(pool, false) }
        do {
            return try await body(nodePool, true)
        } catch let error as PostgresError where error.isOfThisServer {
            // A node whose connections are all in use is not away.
            if error.kind != .acquireTimedOut { nodes.note(unusable: node, error) }
            return try await body(pool, false)
        }
    }

    /// Runs statements about one list, as ``onNode(of:_:)`` does; on one server, there.
    func onNode<Value>(of list: ListID, _ body: (Pool) async throws -> Value) async throws -> Value {
        guard nodes.isDirect, try await isDistributed() else { return try await body(pool) }
        let shard = try await shards(of: [list])[list]
        return try await onNode(of: shard) { pool, _ in try await body(pool) }
    }

    // MARK: While a node is unreachable

    /// The known heads of accounts' lists while nodes are unreachable.
    struct ReachableHeads {
        /// For each account its reachable lists, with their heads.
        var heads: [AccountID: [ListID: SequenceNumber]] = [:]
        /// The unreachable shards.
        var unreachable: Set<Shard> = []
    }

    /// Asks each shard separately. It is slower than one statement for all, so it is used only after that has failed.
    func reachableHeads(of accounts: [AccountID]) async throws(StoreError) -> ReachableHeads {
        do {
            let rows = try await pool.withConnection(for: .shortRead) {
                try await $0.execute(TopologySQL.heads, [accounts])
            }
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

    /// The reachable lists to which invitations with a secret lead. Asks as ``reachableHeads(of:)`` does.
    func lists(bySecret hash: [UInt8]) async throws(StoreError) -> [ListID] {
        do {
            let rows = try await pool.withConnection(for: .shortRead) {
                try await $0.execute(TopologySQL.listsBySecret, [hash])
            }
            return try rows.compactMap { try $0.decode(ListID?.self, at: 2) }
        } catch { throw StoreError(any: error) }
    }

    /// The lists among the given ones that are in one of the shards.
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
