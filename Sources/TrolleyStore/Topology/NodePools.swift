import Synchronization
import TrolleyPostgres

/// Whether a store sends the statements of a list straight to the node of the Citus cluster that has it.
package struct NodeAccess: Sendable {
    /// What keeps statements from going straight to a node. The coordinator passes them on.
    package enum Problem: Hashable, Sendable {
        /// The coordinator doesn't say where the lists are.
        case placement
        /// The node at this address can't be asked.
        case node(String)
    }

    /// Called with a problem: once, until it is over.
    package typealias Report = @Sendable (_ problem: Problem, _ error: any Error) -> Void

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
        var isClosed = false
        /// The questions that are being asked, by number.
        var questions: [Int: Task<Void, Never>] = [:]
        var lastQuestion = 0
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
        return state.withLock { state in
            if state.isClosed { return nil }
            let route = state.map.route(to: shard, at: .now)
            if let question = route.question {
                state.lastQuestion += 1
                let number = state.lastQuestion
                state.questions[number] = Task {
                    await self.ask(question)
                    self.state.withLock { $0.questions[number] = nil }
                }
            }
            guard let node = route.node, let pool = state.pools[node] else { return nil }
            return (node, pool)
        }
    }

    func note(unusable node: NodeMap.Node, _ error: any Error) {
        let isNews = state.withLock { state in
            if state.isClosed { return false }
            // Its idle connections are of no use any more.
            state.pools[node] = nil
            return state.map.note(unusable: node, at: .now)
        }
        if isNews { access.report(.node(node.location), error) }
    }

    /// Forgets where the shards are, and which nodes can be asked.
    func forget() {
        state.withLock { state in
            state.map = NodeMap()
            state.pools = [:]
        }
    }

    /// Asks no node any more. Closes the pools of the nodes that can be asked, and returns when their last leases have ended.
    func close() async {
        let (questions, pools) = state.withLock { state in
            state.isClosed = true
            defer { state.pools = [:] }
            return (Array(state.questions.values), Array(state.pools.values))
        }
        for question in questions { question.cancel() }
        for question in questions { await question.value }
        await withDiscardingTaskGroup { group in for pool in pools { group.addTask { await pool.close() } } }
    }

    private func ask(_ question: NodeMap.Question) async {
        switch question {
        case .places:
            do {
                let places = try await self.places()
                state.withLock { state in
                    state.map.note(places: places, at: .now)
                    let nodes = state.map.all
                    state.pools = state.pools.filter { nodes.contains($0.key) }
                }
            } catch {
                let isNews = state.withLock { state in
                    let isNews = state.map.notePlacesUnknown(at: .now)
                    return isNews && !state.isClosed
                }
                if isNews { access.report(.placement, error) }
            }
        case .node(let node):
            do {
                let pool = try await self.pool(of: node)
                let isClosed = state.withLock { state in
                    if state.isClosed { return true }
                    state.pools[node] = pool
                    state.map.note(usable: node)
                    return false
                }
                if isClosed { await pool.close() }
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
        // Only this process's connections to the node were closed.
        case .closed: true
        // It can't reach the node to which the shard has moved, takes no writes, stops or starts (57), or lacks a table
        // or a right (42).
        case .server:
            isNodeAway || sqlState == .readOnlyTransaction
                || sqlState != .queryCanceled && ["42", "57"].contains(sqlState?.errorClass)
        case .statementTimedOut, .cancelled, .decoding, .misuse, .configuration: false
        }
    }
}
