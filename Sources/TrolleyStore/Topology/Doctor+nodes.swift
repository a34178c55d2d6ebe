import TrolleyPostgres

// Checks of the nodes of a Citus cluster.

extension Doctor {
    /// Checks which nodes exist and answer, and how the lists are spread over them; returns nothing on a single server.
    func nodes(_ connection: Connection) async throws -> [Finding] {
        guard try await connection.execute(TopologySQL.isDistributed)[0].decode(Bool.self, at: 0) else { return [] }
        let unplaced = try await connection.execute(TopologySQL.unplacedTables).map {
            try $0.decode(String.self, at: 0)
        }
        let nodes = try await connection.execute(TopologySQL.nodes).map { row in
            let (name, port, isActive, shards, isReached) = try row.decode((String, Int, Bool, Int64, Bool).self)
            return Node(place: "\(name):\(port)", shards: shards, isUsable: isActive && isReached)
        }
        return [Self.judge(nodes), Self.judge(unplaced)]
    }

    struct Node: Hashable, Sendable {
        let place: String
        /// Shards of the table `list` on this node.
        let shards: Int64
        let isUsable: Bool
    }

    static func judge(_ nodes: [Node]) -> Finding {
        let text = nodes.map { node in
            "\(node.place) has \(node.shards) shards of lists\(node.isUsable ? "" : " and is away")"
        }.joined(separator: ", ")
        let away = nodes.filter { !$0.isUsable }
        guard away.isEmpty else {
            return .failed(
                "nodes", text,
                """
                Start PostgreSQL on \(away.map(\.place).joined(separator: " and ")), or promote its standby and tell Citus \
                (citus_update_node). Until then lists on the other nodes go on, and nobody can sign in anew.
                """)
        }
        let most = nodes.map(\.shards).max() ?? 0
        // The coordinator usually has none.
        let least = nodes.map(\.shards).filter { $0 > 0 }.min() ?? 0
        guard most <= 2 * least || most < 8 else {
            return .warning("nodes", text, "Spread the shards evenly: SELECT citus_rebalance_start().")
        }
        return .ok("nodes", text)
    }

    static func judge(_ unplaced: [String]) -> Finding {
        guard unplaced.isEmpty else {
            return .failed(
                "placement", "not distributed yet: \(unplaced.joined(separator: ", "))",
                "Run trolleyd migrate; trolleyd serve also does it when it starts.")
        }
        return .ok("placement", "the lists' tables are distributed by list, and every node has the others")
    }
}
