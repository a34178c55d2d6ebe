import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

#if canImport(Glibc)
    import Glibc
#endif

@Suite("A process that vanishes in a transaction", .timeLimit(.minutes(20)))
struct FrozenProcessTests {
    @Test("the locks of a frozen process delay no other list", .enabled(if: TestNodes.shared == nil))
    func otherLists() async throws {
        try await Self.withFrozenProcess(timeout: "1h") { test, alice, locked, free, process in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for list in locked { group.addTask { try await Self.upload(to: list, by: alice, test) } }
                let appends = { test.pool.statistics.classes[LeaseClass.contendedAppend.rawValue] }
                try await eventually(every: .milliseconds(1)) {
                    appends().waiting
                } until: {
                    $0 > 0
                }
                for number in 1...20 {
                    #expect(
                        try await test.upload([.add("bread", Int64(number))], to: free, by: alice).statuses
                            == [.applied])
                }
                // Between two tries of them all none may be busy.
                try await eventually {
                    appends().busy
                } until: {
                    $0 > 0
                }
                kill(process, SIGKILL)
                try await group.waitForAll()
            }
        }
    }

    @Test("the locks of a frozen process end", .enabled(if: TestNodes.shared == nil))
    func end() async throws {
        try await Self.withFrozenProcess(timeout: "2s") { test, alice, locked, _, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for list in locked { group.addTask { try await Self.upload(to: list, by: alice, test) } }
                try await group.waitForAll()
            }
        }
    }

    /// Runs `body` with 20 lists that a frozen process holds, one that it doesn't, and the process.
    /// - Parameter timeout: as ``LockHolder`` describes.
    private static func withFrozenProcess(
        timeout: String,
        _ body: @escaping @Sendable (TestStore, Session, [ListID], ListID, pid_t) async throws -> Void
    ) async throws {
        try await TestStore.with(connections: 16, settings: ["lock_timeout": "200ms"]) { test in
            let alice = try await test.person("alice")
            var locked: [ListID] = []
            for _ in 0..<20 { locked.append(try await test.list(of: alice)) }
            try await LockHolder.run(on: test.pool.configuration.connectionString, timeout: timeout) {
                [locked] process in
                // Made while the others are locked, so the process doesn't hold it.
                let free = try await test.list(of: alice)
                kill(process, SIGSTOP)
                try await body(test, alice, locked, free, process)
            }
        }
    }

    /// Uploads as a device does: again, until the service is no longer busy.
    private static func upload(to list: ListID, by person: Session, _ test: TestStore) async throws {
        while true {
            do {
                try await test.upload([.add("milk")], to: list, by: person)
                return
            } catch StoreError.busy {}
        }
    }

    @Test("connections limit how long they hold locks, wait for locks and run")
    func limits() async throws {
        try await TestStore.with(settings: Store.sessionSettings) { test in
            let milliseconds = try await test.pool.withConnection { connection in
                try await connection.settings([
                    "idle_in_transaction_session_timeout", "statement_timeout", "lock_timeout",
                    "client_connection_check_interval",
                ]).mapValues { Int($0) ?? 0 }
            }
            let idle = try #require(milliseconds["idle_in_transaction_session_timeout"])
            #expect(0 < idle && idle < 30_000)
            let statement = try #require(milliseconds["statement_timeout"])
            #expect(.milliseconds(statement) > test.pool.configuration.statementTimeout)
            #expect(milliseconds["lock_timeout"] == 5000)
            #expect(milliseconds["client_connection_check_interval"] == 10_000)
        }
    }

    @Test("whatever needs a list that another process holds gives up and says that it is busy")
    func busy() async throws {
        try await TestStore.with(connections: 6, settings: ["lock_timeout": "100ms"]) { test in
            let (alice, bob, carol) = (
                try await test.person("alice"), try await test.person("bob"), try await test.person("carol")
            )
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            let secret = try await test.invite("carol@example.com", to: list, of: alice)
            let store = test.store
            let code: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }
            let address = EmailAddress(unchecked: "robert@example.com")
            _ = try await store.createEmailCode(hash: code, for: address, lifetime: 3_600_000, limit: 5)
            let calls: [(String, () async throws -> Void)] = [
                ("upload", { try await test.upload([.add("milk")], to: list, by: alice) }),
                ("join", { _ = try await store.acceptInvitation(secretHash: secret, by: carol.account, limit: 100) }),
                ("decline", { try await store.declineInvitation(secretHash: secret, by: carol.account) }),
                ("invite", { _ = try await test.invite(nil, to: list, of: alice) }),
                ("permit", { _ = try await store.permit(.readOnly, to: bob.account, on: list, by: alice.account) }),
                ("remove", { try await store.removeParticipant(bob.account, from: list, by: alice.account) }),
                ("hand over", { _ = try await store.handOver(list, to: bob.account, by: alice.account) }),
                ("email", { _ = try await store.setEmail(address, of: bob.account, codeHash: code) }),
                ("account", { try await store.deleteAccount(bob.account) }),
                ("list", { try await store.deleteList(list, by: alice.account) }),
            ]
            try await test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM list WHERE id = \(list) FOR UPDATE")
                for (name, call) in calls { #expect(await failure(call) == "busy", "\(name)") }
            }
        }
    }
}
