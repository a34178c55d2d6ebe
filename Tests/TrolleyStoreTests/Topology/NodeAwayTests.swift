import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite(
    "A node that is away", .enabled(if: TestNodes.shared != nil, "TROLLEY_CITUS_URL is not set"),
    .timeLimit(.minutes(20)))
struct NodeAwayTests {
    @Test(
        "lists on the other nodes go on: uploads, changes, hints, sessions; nothing is lost or doubled when it is back")
    func others() async throws {
        try await TestStore.with { test in
            let token: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }
            let anna = try await test.person("Anna")
            _ = try await test.store.createDevice(account: anna.account, name: "laptop", tokenHash: token)
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            let before = JournalEntry.add("milk")
            try await test.upload([before], to: there, by: anna)
            let node = try await test.node(of: there)

            let late = JournalEntry.add("late", 2)
            try await test.whileAway(node) {
                #expect(await failure { try await test.upload([late], to: there, by: anna) }.contains("08006"))
                for index in 0..<5 {
                    let results = try await test.upload([.add("bread \(index)", Int64(index + 1))], to: here, by: anna)
                    #expect(results.statuses == [.applied])
                }
                let changes = try await test.store.changes(
                    for: anna.account, device: anna.device, after: [there: SequenceNumber(rawValue: 1)], limit: 100)
                #expect(changes.unreachable == [there])
                #expect(changes.gone.isEmpty && changes.unknown.isEmpty)
                #expect(changes.changeRanges.map(\.list) == [here])
                #expect(try changes.changeRanges.first?.changes.count == 5)
                #expect(
                    try await test.store.changes(of: here, for: anna.account, after: .start, limit: 9).changes.count
                        == 5)
                let heads = try await test.store.heads(of: [anna.account])[anna.account]
                #expect(heads == [here: ListHead(sequence: SequenceNumber(rawValue: 5))])
                #expect(try await test.store.authors(after: [here: .start]).map(\.device) == [anna.device])
                #expect(try await test.store.session(tokenHash: token)?.account == anna.account)
                // Tables that every node has can be read, but not written.
                let failed = await failure {
                    try await test.store.createDevice(
                        account: anna.account, name: "tablet", tokenHash: token.reversed())
                }
                #expect(failed.contains("unavailable"))
            }

            // The device sends an upload without an answer again.
            #expect(try await test.upload([late], to: there, by: anna).statuses == [.applied])
            #expect(try await test.upload([late, before], to: there, by: anna).statuses == [.duplicate, .duplicate])
            let all = try await test.store.changes(for: anna.account, device: anna.device, after: [:], limit: 100)
            #expect(all.unreachable.isEmpty)
            #expect(
                try Dictionary(uniqueKeysWithValues: all.changeRanges.map { ($0.list, try $0.changes.count) })
                    == [here: 5, there: 2])
        }
    }

    @Test("an account's quota of bytes isn't enforced while a list of its owner can't be reached, and is afterwards")
    func byteQuota() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            var quotas = Quotas.none
            quotas.bytesPerAccount = 70_000
            // Each has 1,000 bytes, and a list that passes a multiple of 64 KiB is compared with the owner's total.
            func upload(_ numbers: ClosedRange<Int64>) async throws -> Set<ProblemCode?> {
                let adds = numbers.map { JournalEntry.add(String(repeating: "x", count: 989), $0) }
                let request = UploadRequest(entries: adds.map { UploadEntry(entry: $0, age: 0) })
                let body = try UploadBody(json: request.json, limits: Limits())
                let appended = try await test.store.append(body, to: here, by: anna, ageCap: 0, quotas: quotas)
                return Set(appended.results.map(\.code))
            }
            try await test.whileAway(try await test.node(of: there)) {
                let codes = try await upload(1...80)
                #expect(codes == [nil])
            }
            #expect(try await upload(81...140) == [.quotaExceeded])
        }
    }

    @Test("programs are told of the other nodes' lists, and of the rest when the node is back")
    func registered() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            let phone = try await test.program(of: anna)
            for list in [here, there] {
                try await test.register(phone, for: list)
                try await test.upload([.add("milk")], to: list, by: anna)
            }
            try await test.whileAway(try await test.node(of: there)) {
                let round = try await test.tellRegistered()
                #expect(round.told == 1 && round.failed.isEmpty)
                #expect(try await test.rows("push_delivery WHERE list_id = '\(here)'") == 1)
            }
            #expect(try await test.tellRegistered().told == 1)
            #expect(try await test.rows("push_registration") == 2)
        }
    }

    @Test("a COMMIT under which the connection to the node ends is an outage of the node, and the change may be stored")
    func commit() async throws {
        try await TestStore.with(connections: 4) { test in
            let anna = try await test.person("Anna")
            let list = try await test.list(of: anna)
            do throws(StoreError) {
                try await test.store.transaction { connection in
                    try await connection.execute("UPDATE list SET head = head WHERE id = \(list)")
                    _ = try await test.pool.withConnection { other in
                        try await other.execute(
                            """
                            SELECT count(*)
                            FROM run_command_on_workers($command$
                                SELECT count(pg_terminate_backend(pid))
                                FROM pg_stat_activity
                                WHERE datname = current_database() AND state = 'idle in transaction'
                            $command$)
                            """)
                    }
                }
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.isNodeAway && error.leavesDoubt, "\(error)")
            }
        }
    }

    @Test("an unreachable list without new changes is reported as unreachable, not as gone")
    func unreachable() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            try await test.upload([.add("milk")], to: there, by: anna)
            try await test.whileAway(try await test.node(of: there)) {
                let changes = try await test.store.changes(
                    for: anna.account, device: anna.device, after: [here: .start], afresh: [there], limit: 100)
                #expect(changes.unreachable == [there])
                #expect(changes.gone.isEmpty)
                #expect(changes.changeRanges.map(\.list) == [here])
            }
        }
    }

    @Test("an account's reachable lists are returned, and the unreachable ones that its devices have reported")
    func reachableLists() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            #expect(try await test.store.reachableLists(of: anna.account).unreachable == nil)
            try await test.whileAway(try await test.node(of: there)) {
                let found = try await test.store.reachableLists(of: anna.account)
                #expect(found.lists.map(\.id) == [here] && found.lists.map(\.role) == [.owner])
                #expect(found.unreachable == [], "no device has said that it has any")
            }
            try await test.report(positions: [here: 0, there: 0], of: anna.device)
            try await test.whileAway(try await test.node(of: there)) {
                let found = try await test.store.reachableLists(of: anna.account)
                #expect(found.lists.map(\.id) == [here] && found.unreachable == [there])
            }
            let all = try await test.store.reachableLists(of: anna.account)
            #expect(all.lists.map(\.id) == [here, there] && all.unreachable == nil)
        }
    }

    @Test("an invitation to a list that can be reached is used; of any other it isn't said that there is none")
    func invitations() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("Anna"), try await test.person("Ben"))
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            let open = try await test.invite(nil, to: here, of: anna)
            let declined = try await test.invite(nil, to: here, of: anna)
            let away = try await test.invite(nil, to: there, of: anna)
            try await test.whileAway(try await test.node(of: there)) {
                let (store, account) = (test.store, ben.account)
                #expect(try await store.previewInvitation(secretHash: open, for: account).list == here)
                #expect(try await store.acceptInvitation(secretHash: open, by: account, limit: 9).id == here)
                _ = try await store.removeParticipant(account, from: here, by: account)
                try await store.declineInvitation(secretHash: declined, by: account)
                let failures = [
                    await failure { try await store.previewInvitation(secretHash: away, for: account) },
                    await failure { try await store.acceptInvitation(secretHash: away, by: account, limit: 9) },
                    await failure { try await store.declineInvitation(secretHash: away, by: account) },
                    await failure {
                        try await store.acceptInvitation(secretHash: away.reversed(), by: account, limit: 9)
                    },
                ]
                #expect(failures == Array(repeating: "notAllReached", count: 4))
            }
            #expect(try await test.store.acceptInvitation(secretHash: away, by: ben.account, limit: 9).id == there)
        }
    }

    @Test("a hosted device goes on with the lists that can be reached")
    func hosted() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("Anna")
            let (here, there) = try await listsOnTwoNodes(of: anna, test)
            let device = try await test.store.createHostedDevice(
                account: anna.account, name: "assistant", tokenHash: (0..<32).map { _ in .random(in: .min ... .max) },
                unusable: (0..<32).map { _ in .random(in: .min ... .max) }, defaultList: nil, limit: 5)
            try await test.whileAway(try await test.node(of: there)) {
                try await test.upload([.add("bread")], to: here, by: anna)
                #expect(try await test.store.hostedDevicesWithWork(limit: 10).map(\.device) == [device])
            }
        }
    }

    /// Two lists of one account, on two nodes.
    private func listsOnTwoNodes(of owner: Session, _ test: TestStore) async throws -> (ListID, ListID) {
        let first = try await test.list(of: owner)
        let node = try await test.node(of: first)
        while true {
            let id = ListID.version7(at: .now, random: RandomBits.random)
            guard try await test.node(of: id) != node else { continue }
            return (first, try await test.store.createList(id, owner: owner.account).list.id)
        }
    }
}

extension TestStore {
    /// Reports a device's position.
    fileprivate func report(positions: [ListID: Int64], of device: DeviceID) async throws {
        let pairs = positions.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
        _ = try await pool.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO device_report (device_id, positions, held, content_hash, reported_at)
                VALUES (\(device), \("{\(pairs)}")::text::jsonb, '{}', sha256(''), clock_timestamp())
                """)
        }
    }

    /// The number of the node that has a list.
    func node(of list: ListID) async throws -> Int64 {
        let rows = try await pool.withConnection { connection in
            try await connection.execute(
                """
                SELECT node.nodeid::bigint
                FROM pg_dist_placement AS placement
                JOIN pg_dist_node AS node ON node.groupid = placement.groupid
                WHERE placement.shardid = get_shard_id_for_distribution_column('list', \(list)::uuid)
                """)
        }
        return try rows[0].decode(Int64.self, at: 0)
    }

    /// Runs `body` while nothing answers at the address of a node.
    func whileAway(_ node: Int64, _ body: () async throws -> Void) async throws {
        func move(by distance: Int32) async throws {
            _ = try await pool.withConnection { connection in
                try await connection.execute(
                    "UPDATE pg_dist_node SET nodeport = nodeport + \(distance)::int WHERE nodeid = \(node)::bigint")
            }
        }
        try await move(by: 20_000)
        do { try await body() } catch {
            try await move(by: -20_000)
            throw error
        }
        try await move(by: -20_000)
    }
}
