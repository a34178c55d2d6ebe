import Synchronization
import TrolleyPostgres

/// Whether a store sends the statements of a list straight to the node of the Citus cluster that has it.
package struct NodeAccess: Sendable {
    /// Called with a node that can't be asked: once, until it can be asked again.
    package typealias Report = @Sendable (_ node: String, _ error: any Error) -> Void

    let isDirect: Bool
    let report: Report

    /// All statements go to the coordinator.
    package static let byCoordinator = NodeAccess(isDirect: false) { _, _ in }

    /// Statements of a list go to its node where that can be reached, and otherwise to the coordinator.
    package static func direct(_ report: @escaping Report) -> NodeAccess { NodeAccess(isDirect: true, report: report) }
}

/// The connections to the nodes of a Citus cluster.
///
/// A node is asked at the address that Citus has for it, with the coordinator's user, password and database. From this
/// process's network that address may lead nowhere, or to another server. So a node is used only after it has said that it
/// is this one. It is asked in the background, while the coordinator passes the statements on. Only callers that ask a node
/// just as it fails wait for it, at most ``patience`` for a connection.
///
/// A pool that is forgotten closes its idle connections, and each other one as soon as it is returned.
final class NodePools: Sendable {
    private struct State {
        var map = NodeMap()
        var pools: [NodeMap.Node: Pool] = [:]
    }

    private let coordinator: Pool
    private let access: NodeAccess
    private let state = Mutex(State())

    init(_ coordinator: Pool, _ access: NodeAccess) {
        self.coordinator = coordinator
        self.access = access
    }

    var isDirect: Bool { access.isDirect }

    /// The node that has a shard, if this process may ask it now.
    func node(of shard: Topology.Shard) -> (node: NodeMap.Node, pool: Pool)? {
        guard isDirect else { return nil }
        let (route, pool) = state.withLock { state in
            let route = state.map.route(to: shard, at: .now)
            return (route, route.node.flatMap { state.pools[$0] })
        }
        if let question = route.question { Task { await self.ask(question) } }
        guard let node = route.node, let pool else { return nil }
        return (node, pool)
    }

    func note(unusable node: NodeMap.Node, _ error: any Error) {
        let isNews = state.withLock { state in
            // Its idle connections are of no use any more.
            state.pools[node] = nil
            return state.map.note(unusable: node, at: .now)
        }
        if isNews { access.report(node.location, error) }
    }

    /// Forgets where the shards are, and which nodes can be asked.
    func forget() { state.withLock { $0 = State() } }

    private func ask(_ question: NodeMap.Question) async {
        switch question {
        case .places:
            let places = try? await self.places()
            state.withLock { state in
                state.map.note(places: places, at: .now)
                let nodes = state.map.all
                state.pools = state.pools.filter { nodes.contains($0.key) }
            }
        case .node(let node):
            do {
                let pool = try await self.pool(of: node)
                state.withLock { state in
                    state.pools[node] = pool
                    state.map.note(usable: node)
                }
            } catch { note(unusable: node, error) }
        }
    }

    private func places() async throws -> [Topology.Shard: NodeMap.Node] {
        let rows = try await coordinator.withConnection(for: .shortRead) { try await $0.execute(TopologySQL.places) }
        var places: [Topology.Shard: NodeMap.Node] = [:]
        for row in rows {
            let (shard, group, host, port) = try row.decode((Topology.Shard, Int64, String, Int64).self)
            places[shard] = NodeMap.Node(group: group, host: host, port: port)
        }
        return places
    }

    /// Connects to a node.
    /// - Throws: when another server answers at its address.
    private func pool(of node: NodeMap.Node) async throws -> Pool {
        var configuration = try coordinator.configuration.moved(toHost: node.host, port: Int(node.port))
        // The nodes may know each other by addresses that are others' here.
        guard !configuration.isOnThisMachine || coordinator.configuration.isOnThisMachine else {
            throw PostgresError(.configuration, "the address is this machine's, and the coordinator is on another one")
        }
        configuration.connectTimeout = Self.patience
        var options = coordinator.options
        options.acquireTimeout = Self.patience
        let pool = Pool(configuration, options: options, countedBy: coordinator)
        let (group, epoch) = try await identity(pool)
        guard group == node.group, try await identity(coordinator).epoch == epoch else {
            throw PostgresError(.connectionFailed, "another server answers at \(node.location)")
        }
        return pool
    }

    private func identity(_ pool: Pool) async throws -> (group: Int64, epoch: PostgresUUID) {
        let rows = try await pool.withConnection(for: .shortRead) { try await $0.execute(TopologySQL.identity) }
        return try rows[0].decode((Int64, PostgresUUID).self)
    }

    /// How long a caller waits for a connection to a node. Then it asks the coordinator.
    private static let patience: Duration = .seconds(2)
}

extension PostgresError {
    /// Whether the server that was asked is to blame, so that another one may do the work.
    var isOfThisServer: Bool {
        switch kind {
        case .connectionFailed, .connectionLost, .acquireTimedOut: true
        // It can't reach the node to which the shard has moved, takes no writes, stops or starts (57), or lacks a table
        // or a right (42).
        case .server:
            isNodeAway || sqlState == .readOnlyTransaction
                || sqlState != .queryCanceled && ["42", "57"].contains(sqlState?.errorClass)
        case .statementTimedOut, .cancelled, .decoding, .misuse, .closed, .configuration: false
        }
    }
}
