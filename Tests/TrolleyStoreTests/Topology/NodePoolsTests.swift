import Synchronization
import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyStore

/// The tables of Citus that say where shards are, made up on one server, which is all of its nodes.
@Suite(
    "Connections to nodes", .enabled(if: TestNodes.shared == nil, "the database has these tables of its own"),
    .timeLimit(.minutes(20)))
struct NodePoolsTests {
    @Test("a shard's statements go to its node once that has said who it is, and until then to the coordinator")
    func direct() async throws {
        try await Self.withNodes { topology, reports in
            #expect(try await topology.isAskedDirectly(1) == false, "nothing is known yet")
            try await eventually("the node is asked") { try await topology.isAskedDirectly(1) }
            #expect(reports.all == [])
        }
    }

    @Test(
        "another server at a node's address isn't used, nor one that doesn't answer; that is reported once",
        arguments: [(2, "another server answers"), (3, "port 1")] as [(Int64, String)])
    func refused(shard: Int64, problem: String) async throws {
        try await Self.withNodes { topology, reports in
            let all = try await eventually("it is reported") {
                let isDirect = try await topology.isAskedDirectly(shard)
                #expect(!isDirect)
                return reports.all
            } until: {
                !$0.isEmpty
            }
            #expect(all.count == 1 && all[0].contains(problem), "\(all)")
            for other in [shard, 9] { #expect(try await topology.isAskedDirectly(other) == false) }
            #expect(reports.all.count == 1)
        }
    }

    @Test("a coordinator that doesn't say where the shards are is reported once, and passes their statements on")
    func unknownPlaces() async throws {
        try await Self.withNodes(then: "ALTER TABLE pg_dist_placement RENAME TO lost_placement") { topology, reports in
            let all = try await eventually("it is reported") {
                let isDirect = try await topology.isAskedDirectly(1)
                #expect(!isDirect)
                return reports.all
            } until: {
                !$0.isEmpty
            }
            #expect(all.count == 1 && all[0].hasPrefix("placement: ") && all[0].contains("pg_dist_placement"), "\(all)")
            #expect(try await topology.isAskedDirectly(1) == false)
        }
    }

    @Test("leaving the nodes waits for the last statement there, closes its connection, and asks the coordinator")
    func leaving() async throws {
        try await Self.withNodes { topology, reports in
            try await eventually("the node is asked") { try await topology.isAskedDirectly(1) }
            let (leaving, process, isStillThere) = try await topology.onNode(of: Int64(1)) { pool, isOnNode in
                #expect(isOnNode)
                return try await pool.withConnection { connection in
                    let leaving = Task {
                        await topology.leaveNodes()
                        return ContinuousClock.now
                    }
                    try await eventually("the coordinator is asked") { try await !topology.isAskedDirectly(1) }
                    let process = try await connection.execute("SELECT pg_backend_pid()::bigint")[0]
                        .decode(Int64.self, at: 0)
                    return (leaving, process, ContinuousClock.now)
                }
            }
            #expect(await leaving.value > isStillThere)
            try await eventually("the connection is closed") {
                try await topology.onNode(of: Int64(1)) { pool, isOnNode in
                    #expect(!isOnNode)
                    return try await pool.withConnection { connection in
                        try await connection.execute("SELECT FROM pg_stat_activity WHERE pid = \(process)::bigint")
                            .isEmpty
                    }
                }
            }
            #expect(reports.all.isEmpty)
        }
    }

    @Test("a caller that was given a node's connections just before they are closed is answered by the coordinator")
    func left() async throws {
        try await Self.withNodes { topology, reports in
            try await eventually("the node is asked") { try await topology.isAskedDirectly(1) }
            var asked: [Bool] = []
            try await topology.onNode(of: Int64(1)) { pool, isOnNode in
                asked.append(isOnNode)
                if isOnNode { await topology.leaveNodes() }
                try await pool.checkHealth()
            }
            #expect(asked == [true, false])
            #expect(reports.all.isEmpty)
        }
    }

    @Test("what a node has lost is asked again on the coordinator, which then passes its statements on")
    func lost() async throws {
        try await Self.withNodes { topology, reports in
            try await eventually("the node is asked") { try await topology.isAskedDirectly(1) }
            var asked: [Bool] = []
            let answer = try await topology.onNode(of: Int64(1)) { pool, isOnNode in
                asked.append(isOnNode)
                if isOnNode { throw PostgresError(.connectionLost, "in a test") }
                return try await pool.withConnection {
                    try await $0.execute("SELECT 7::bigint")[0].decode(Int64.self, at: 0)
                }
            }
            #expect(answer == 7 && asked == [true, false])
            #expect(reports.all.count == 1)
            #expect(try await topology.isAskedDirectly(1) == false)
        }
    }

    @Test(
        "a node that can't reach another one, takes no writes or has no table isn't asked; the coordinator is",
        arguments: ["08006", "25006", "42P01"])
    func unable(sqlState: String) async throws {
        try await Self.withNodes { topology, reports in
            try await eventually("the node is asked") { try await topology.isAskedDirectly(1) }
            let isOnNode = try await topology.onNode(of: Int64(1)) { pool, isOnNode in
                guard isOnNode else { return false }
                try await pool.withConnection {
                    try await $0.run(
                        script: "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(sqlState)'; END $$")
                }
                return true
            }
            #expect(!isOnNode)
            #expect(reports.all.count == 1)
        }
    }

    @Test("an error of the statement's own is the caller's, and the node goes on")
    func ownErrors() async throws {
        try await Self.withNodes { topology, reports in
            try await eventually("the node is asked") { try await topology.isAskedDirectly(1) }
            let failed = await failure {
                try await topology.onNode(of: Int64(1)) { pool, _ in
                    try await pool.withConnection { _ = try await $0.execute("SELECT 1 / 0") }
                }
            }
            #expect(failed.contains("22012"))
            #expect(try await topology.isAskedDirectly(1))
            #expect(reports.all.isEmpty)
        }
    }

    @Test("where the operator wants it, all statements go to the coordinator")
    func coordinatorOnly() async throws {
        try await Self.withNodes(isDirect: false) { topology, _ in
            for _ in 0..<3 {
                let isDirect = try await topology.isAskedDirectly(1)
                #expect(!isDirect)
            }
        }
    }

    /// Shard 1 is on a node that answers, shard 2 on one at whose address another server answers, and shard 3 on one at whose
    /// address none does.
    /// - Parameter change: what to do in the database afterwards.
    private static func withNodes(
        isDirect: Bool = true, then change: String = "", _ body: (Topology, Reports) async throws -> Void
    ) async throws {
        try await TestStore.with { test in
            let (host, port) = try await test.pool.withConnection { connection in
                try await connection.execute(
                    """
                    SELECT
                        CASE
                            WHEN inet_server_addr() IS NOT NULL THEN host(inet_server_addr())
                            ELSE split_part(current_setting('unix_socket_directories'), ',', 1)
                        END,
                        current_setting('port')::bigint
                    """)[0].decode((String, Int64).self)
            }
            try await test.run(
                """
                CREATE TABLE pg_dist_local_group AS SELECT 1 AS groupid;
                CREATE TABLE pg_dist_shard AS SELECT generate_series(1, 3)::bigint AS shardid, 'list'::regclass AS logicalrelid;
                CREATE TABLE pg_dist_placement AS
                SELECT shardid, shardid AS placementid, shardid::int AS groupid FROM pg_dist_shard;
                CREATE TABLE pg_dist_node AS
                SELECT
                    groupid, 'primary'::text AS noderole, '\(host)'::text AS nodename,
                    CASE groupid WHEN 3 THEN 1 ELSE \(port) END AS nodeport,
                    true AS isactive, true AS hasmetadata, true AS metadatasynced
                FROM generate_series(1, 3) AS groupid;
                \(change)
                """)
            let reports = Reports()
            let access = isDirect ? NodeAccess.direct { reports.add("\($0): \($1)") } : .byCoordinator
            try await body(Topology(test.pool, access), reports)
        }
    }
}

private final class Reports: Sendable {
    private let reports = Mutex<[String]>([])

    var all: [String] { reports.withLock { $0 } }

    func add(_ report: String) { reports.withLock { $0.append(report) } }
}

extension Topology {
    /// Whether statements about the lists of a shard go straight to its node just now.
    fileprivate func isAskedDirectly(_ shard: Shard) async throws -> Bool {
        try await onNode(of: shard) { pool, isOnNode in
            try await pool.checkHealth()
            return isOnNode
        }
    }
}
