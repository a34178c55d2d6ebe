import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("An assistant's undo over HTTP", .timeLimit(.minutes(20)))
struct AssistantUndoTests {
    @Test("a change has a name, and a call that names it takes nothing else back")
    func named() async throws {
        try await AssistantScene.with { scene in
            let tea = try #require(try await scene.use("add", #"{"items":["tea"]}"#).answer?.change)
            let both = try #require(try await scene.use("add", #"{"items":["milk","eggs"]}"#).answer?.change)
            let early = try await scene.use("undo", #"{"change":"\#(tea)"}"#)
            #expect(early.isError && early.text.contains("\(both)"))
            for (count, entries) in [(0, 2), (1, 0)] {
                let undone = try await scene.use("undo", #"{"change":"\#(both)"}"#)
                #expect(undone.answer?.undone == both && undone.answer?.entries?.count == entries, "call \(count)")
                #expect(try await scene.items() == ["tea"])
            }
            for text in ["tea", "\(EntryID.random())"] {
                #expect(try await scene.use("undo", #"{"change":"\#(text)"}"#).isError, "\(text)")
            }
            #expect(try await scene.use("undo").answer?.undone == tea)
            #expect(try await scene.items().isEmpty)
        }
    }

    @Test("a change whose confirmation the database lost is named, and taken back once")
    func doubt() async throws {
        let cluster = try await TestCluster.start()
        var configuration = try Store.configuration(cluster.url).holdingLocks()
        // Test clusters wait for no standby by default.
        configuration.sessionSettings["synchronous_commit"] = "on"
        // One commit takes as long; every other statement must be done by then, also on a busy machine.
        configuration.statementTimeout = .seconds(8)
        let pool = Pool(configuration)
        try await Migrator(pool: pool).migrate()
        try await TestService.with(pool) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let scene = AssistantScene(
                service: service, anna: anna, list: list, token: try await service.personalToken(of: anna))
            _ = try await scene.use("add", #"{"items":["milk"]}"#)
            let eggs = try #require(try await scene.use("add", #"{"items":["eggs"]}"#).answer?.change)
            // Commits, and then waits for a standby that doesn't exist.
            try await service.waitForStandby("nobody")
            let lost = try await scene.use("undo")
            try await service.waitForStandby("")
            #expect(lost.isError && lost.text.contains("\(eggs)"), "\(lost.text)")
            #expect(try await scene.items() == ["milk"], "it was stored all the same")
            let again = try await scene.use("undo", #"{"change":"\#(eggs)"}"#)
            #expect(again.answer?.undone == eggs && again.answer?.entries?.isEmpty == true)
            #expect(try await scene.items() == ["milk"])
        }
        await cluster.stop()
    }

    @Test("changes of the same token in two processes get numbers of their own, and the later one is planned again")
    func twoProcesses() async throws {
        try await TestService.withTwo { one, other in
            let anna = try await one.person("anna")
            let list = try await one.list(of: anna)
            let scene = AssistantScene(
                service: other, anna: anna, list: list, token: try await one.personalToken(of: anna))
            let (store, gestures) = (one.service.store, one.service.gestures)
            let session = Session(account: anna.account, device: scene.assistant.device)
            var plans = 0
            try await gestures.withTurn(on: list, of: anna.account) {
                plans += 1
                let read = try await store.journal(
                    of: list, for: anna.account, countedFor: session.device, [.live], into: 0
                ) { count, _, _ in
                    count += 1
                    return 0
                }
                if plans == 1 { #expect(try await !scene.use("add", #"{"items":["milk"]}"#).isError) }
                #expect(read.value == plans - 1)
                let eggs = EntryDraft(.add, item: .made(), fields: [Fields.text: "eggs"])
                try await gestures.append(
                    gestures.entries(of: [eggs], after: read.lastCounter), to: list, by: session,
                    plannedAt: read.list.head)
            }
            #expect(plans == 2)
            #expect(try await scene.entries().map(\.entry.deviceSequence) == [1, 2])
        }
    }

    @Test("what others bought long ago takes no memory from undo")
    func longActivity() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 400_000
        try await AssistantScene.with(reading: reading) { scene in
            _ = try await scene.use("add", #"{"items":["tea"]}"#)
            let bought = (1...400).map { JournalEntry.add("item \($0)", Int64(2 * $0)) }
            let marks = bought.enumerated().map {
                JournalEntry(
                    id: .random(), operation: .markOff, item: $1.item, deviceSequence: Int64(2 * $0 + 3))
            }
            for entries in [bought, marks] {
                _ = try await scene.service.upload(entries, to: scene.list, by: scene.anna)
            }
            try await scene.service.pool.withConnection {
                try await $0.run(
                    script: """
                        UPDATE entry SET received_at = received_at - interval '500 days', made_at = made_at - interval '500 days'
                        WHERE list_id = '\(scene.list)' AND device_id = '\(scene.anna.device)'
                        """)
            }
            let cutOff = HostedClock.now().wall.advanced(byMilliseconds: -86_400_000)
            #expect(try await scene.service.service.store.compress(scene.list, olderThan: cutOff)?.discarded == 800)
            let undone = try await scene.use("undo")
            #expect(undone.answer?.entries?.map(\.operation) == ["delete"], "\(undone.text)")
            #expect(try await scene.items().isEmpty)
        }
    }
}

extension TestService {
    /// From now on a commit waits for the standby of this name. There is no such standby. With an empty name none waits.
    fileprivate func waitForStandby(_ name: String) async throws {
        let pages = try await ask("SHOW geqo_pool_size")
        // The checkpointer makes the first setting known to sessions. It reads its settings before a checkpoint, and has heard
        // of the first when sessions know the second.
        try await reload("synchronous_standby_names", as: name)
        try await reload("geqo_pool_size", as: "\((Int(pages) ?? 0) + 1)")
        try await pool.withConnection { try await $0.run(script: "CHECKPOINT") }
    }

    private func reload(_ setting: String, as value: String) async throws {
        try await pool.withConnection { connection in
            try await connection.run(script: "ALTER SYSTEM SET \(setting) = '\(value)'")
            try await connection.run(script: "SELECT pg_reload_conf()")
        }
        try await eventually("\(setting) is set") { try await ask("SHOW \(setting)") == value }
    }

    private func ask(_ question: String) async throws -> String {
        try await pool.withConnection { connection in
            try await connection.execute(Query(unescaped: question))[0].decode(String.self, at: 0)
        }
    }
}
