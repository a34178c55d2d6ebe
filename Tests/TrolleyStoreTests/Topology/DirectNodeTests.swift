import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite(
    "Statements straight to a node", .enabled(if: TestNodes.shared != nil, "TROLLEY_CITUS_URL is not set"),
    .timeLimit(.minutes(20)))
struct DirectNodeTests {
    @Test("uploads to a list, its changes and its state need no connection to the coordinator")
    func withoutCoordinator() async throws {
        try await Self.directly { test in
            let anna = try await test.person("Anna")
            let list = try await test.list(of: anna)
            try await test.upload([.add("milk")], to: list, by: anna)
            try await test.untilAskedDirectly(list)
            // The pool has one connection to the coordinator.
            try await test.pool.withConnection { _ in
                // The first looks closer, the others find a list that this process knows.
                for number: Int64 in 2...4 {
                    #expect(
                        try await test.upload([.add("bread \(number)", number)], to: list, by: anna).statuses
                            == [.applied])
                }
                let changes = try await test.store.changes(of: list, for: anna.account, after: .start, limit: 9)
                #expect(try changes.changes.map(\.sequence.rawValue) == [1, 2, 3, 4])
                #expect(try await test.store.state(of: list, for: anna.account).state.items.count == 4)
            }
            #expect(test.store.appender.statistics.single == 0)
        }
    }

    @Test("uploads to several lists of one shard share a transaction on its node, and a repeated one is a duplicate")
    func together() async throws {
        try await Self.directly { test in
            let anna = try await test.person("Anna")
            var lists: [ListID] = []
            for _ in 0..<3 { lists.append(try await test.listInOneShard(of: anna)) }
            try await test.untilAskedDirectly(lists[0])
            let milk = JournalEntry.add("milk")
            for list in lists {
                #expect(try await test.upload([milk], to: list, by: anna).statuses == [.applied])
                #expect(try await test.upload([.add("tea", 2)], to: list, by: anna).statuses == [.applied])
                #expect(try await test.upload([milk], to: list, by: anna).statuses == [.duplicate])
            }
            for list in lists {
                #expect(try await test.entries(list, seenBy: anna).map(\.sequence.rawValue) == [1, 2])
            }
        }
    }

    @Test("the nodes to which the store may connect are counted")
    func count() async throws {
        try await Self.directly { test in
            let nodes = try await test.pool.withConnection { connection in
                try await connection.execute("SELECT FROM pg_dist_node WHERE groupid <> 0").count
            }
            #expect(nodes > 0)
            #expect(try await test.store.directNodes() == nodes)
            #expect(try await Store(pool: test.pool).directNodes() == 0, "all statements go to the coordinator")
        }
    }

    @Test("another process, which goes by way of the coordinator, sees and changes the same list")
    func beside() async throws {
        try await Self.directly { test in
            let (anna, ben) = (try await test.person("Anna"), try await test.person("Ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.untilAskedDirectly(list)
            try await test.upload([.add("milk")], to: list, by: anna)
            // Another process goes by the coordinator.
            let other = TestStore(store: Store(pool: test.pool), pool: test.pool)
            #expect(try await other.upload([.add("bread")], to: list, by: ben).statuses == [.applied])
            #expect(try await test.upload([.add("eggs", 2)], to: list, by: anna).statuses == [.applied])
            _ = try await other.store.removeParticipant(ben.account, from: list, by: anna.account)
            #expect(await failure { try await test.upload([.add("tea", 2)], to: list, by: ben) }.hasPrefix("gone"))
        }
    }

    private static func directly(_ body: (TestStore) async throws -> Void) async throws {
        try await TestStore.with(connections: 1) { test in
            let store = Store(
                pool: test.pool, nodes: .direct { Issue.record("\($0) isn't asked: \($1)") })
            try await body(TestStore(store: store, pool: test.pool))
        }
    }
}

extension TestStore {
    /// Waits until statements about a list go straight to its node.
    fileprivate func untilAskedDirectly(_ list: ListID) async throws {
        let shard = try await store.topology.shards(of: [list])[list]
        try await eventually("the node is asked") { try await store.topology.onNode(of: shard) { $1 } }
    }
}
