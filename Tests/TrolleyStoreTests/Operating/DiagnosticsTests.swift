import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("The service's diagnostics", .timeLimit(.minutes(20)))
struct DiagnosticsTests {
    /// All texts of people in a test. None of them occurs in the schema or the program.
    private static let texts = ["quince", "marzipan", "Orchard", "teal", "zelda", "yorick", "example.com", "gizmo"]

    private func document(
        _ test: TestStore, _ scope: ServiceDiagnostics.Scope = .init(), operator isOperator: Bool = true,
        withContent: Bool = false
    ) async throws -> String {
        let diagnostics = try await test.store.diagnostics(
            of: scope, version: "1.2.3", configuration: isOperator ? ["TROLLEY_PORT": "8080"] : nil,
            withContent: withContent)
        return String(decoding: diagnostics.json, as: UTF8.self)
    }

    @Test func `the operator's diagnostics have the settings of the processes that run`() async throws {
        try await TestStore.with { test in
            func process(_ number: UInt64, _ settings: [String: String]) -> ServiceProcess {
                ServiceProcess(
                    id: UUIDBits(high: 1, low: number), version: "0.1.\(number)", host: "shelf", pid: 7,
                    settings: settings)
            }
            func operation() async throws -> ServiceDiagnostics.Operation? {
                try await test.store.diagnostics(
                    of: .init(), version: "1.2.3", configuration: ["database": "here"], withContent: false
                ).operation
            }
            #expect(try await operation()?.configuration == ["database": "here"], "none runs")
            let old = process(1, ["TROLLEY_PORT": "1"])
            try await test.store.note(old)
            try await test.store.note(process(2, ["TROLLEY_PORT": "2"]))
            try await test.store.note(old)
            var found = try await operation()
            #expect(found?.configuration == ["database": "here", "TROLLEY_PORT": "2"], "the newest")
            #expect(found?.processes.map(\.version) == ["0.1.2", "0.1.1"])
            try await test.store.forget(old)
            // One that was killed.
            try await test.pool.withConnection {
                _ = try await $0.execute("UPDATE process SET seen_at = now() - interval '4 minutes'")
            }
            found = try await operation()
            #expect(found?.processes.isEmpty == true && found?.configuration == ["database": "here"])
        }
    }

    @Test("without memory to fold a list, its digest is left out, and the newest entries are there")
    func littleMemory() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 160 << 10
        try await TestStore.with(reading: reading) { test in
            let anna = try await test.person("anna")
            let (short, long) = (try await test.list(of: anna), try await test.list(of: anna))
            try await test.upload([.add("milk")], to: short, by: anna)
            try await test.upload((1...200).map { .add("item \($0)", $0) }, to: long, by: anna)
            let diagnostics = try await test.store.diagnostics(
                of: .init(account: anna.account), version: "1.2.3", configuration: nil, withContent: true)
            let lists = Dictionary(uniqueKeysWithValues: diagnostics.lists.map { ($0.facts.id, $0) })
            #expect(lists[short]?.digest != nil && lists[long]?.digest == nil)
            #expect(lists[long]?.entries?.count == 200)
            #expect(test.store.memory.used == 0, "what was held is given back")
        }
    }

    @Test("a full dump leaves out the oldest entries")
    func newest() throws {
        let budget = ByteBudget<AccountID>(total: 1 << 20, share: 1 << 20)
        var dump = NewestEntries(entries: 5, bytes: 40, withContent: true, budget.reservation(for: Samples.id()))
        func entry(_ number: Int64) -> ConfirmedEntry {
            ConfirmedEntry(
                entry: .add("x", number), sequence: SequenceNumber(rawValue: number), author: Samples.id(),
                device: Samples.id(), madeAt: Timestamp(milliseconds: 0), receivedAt: Timestamp(milliseconds: 0))
        }
        for number in 1...9 { try dump.append(entry(Int64(number)), 10) }
        #expect(dump.takeList().compactMap { $0.sequence?.rawValue } == [6, 7, 8, 9], "40 bytes")
        for number in 1...9 { try dump.append(entry(Int64(number)), 0) }
        #expect(dump.takeList().compactMap { $0.sequence?.rawValue } == [9], "one is left of five")
        for number in 1...9 { try dump.append(entry(Int64(number)), 0) }
        #expect(dump.takeList().isEmpty)
        #expect(budget.used == 5 * 512 + 40)
    }

    /// Two people, a shared list with items, an invitation, and a report.
    private func household(_ test: TestStore) async throws -> (zelda: Session, yorick: Session, list: ListID) {
        let (zelda, yorick) = (try await test.person("zelda"), try await test.person("yorick"))
        let list = try await test.list(of: zelda)
        _ = try await test.pool.withConnection { try await $0.execute("UPDATE device SET name = 'gizmo'") }
        let rename = JournalEntry(
            id: .version7(at: .init(milliseconds: 1), random: (1, 1)), operation: .renameList,
            fields: ["text": "Orchard"], deviceSequence: 1)
        let recolour = JournalEntry(
            id: .version7(at: .init(milliseconds: 1), random: (1, 2)), operation: .recolourList,
            fields: ["text": "teal"], deviceSequence: 2)
        try await test.upload([rename, recolour, .add("quince", 3, fields: ["note": "marzipan"])], to: list, by: zelda)
        try await test.add(yorick, to: list, of: zelda)
        _ = try await test.invite("quentin@example.com", to: list, of: zelda)
        _ = try await test.invite(nil, to: list, of: zelda)
        try await test.store.saveReport(
            QueueReport(
                upload: ["edit": 2], oldestAge: 90_000, held: [list: 4],
                failures: [.init(code: "zoneBusy", count: 3, age: 10)]),
            positions: [list: SequenceNumber(rawValue: 2)], of: zelda.device)
        return (zelda, yorick, list)
    }

    @Test("nothing that a person wrote is in it, of everything, of an account, of a list, unless it is asked for")
    func private_() async throws {
        try await TestStore.with { test in
            let (zelda, _, list) = try await household(test)
            let scopes: [ServiceDiagnostics.Scope] = [.init(), .init(account: zelda.account), .init(list: list)]
            for scope in scopes {
                let plain = try await document(test, scope)
                for text in Self.texts { #expect(!plain.contains(text), "\(text)") }
            }
            let open = try await document(test, .init(list: list), withContent: true)
            for text in Self.texts { #expect(open.contains(text), "\(text)") }
        }
    }

    @Test("it shows an account's devices with their queues, positions and failures, and its lists with their people")
    func account() async throws {
        try await TestStore.with { test in
            let (zelda, yorick, list) = try await household(test)
            let diagnostics = try await test.store.diagnostics(
                of: .init(account: zelda.account), version: "1.2.3", configuration: nil, withContent: false)
            #expect(diagnostics.operation == nil && diagnostics.accounts.map(\.id) == [zelda.account])
            let device = try #require(diagnostics.devices.first)
            #expect(diagnostics.devices.count == 1, "not those of others")
            #expect(device.id == zelda.device && device.signedIn && device.reportedAt != nil)
            #expect(device.positions == [list: 2] && device.report?.upload == ["edit": 2])
            #expect(device.report?.oldestAge == 90_000 && device.report?.failures.first?.code == "zoneBusy")
            let found = try #require(diagnostics.lists.first)
            let state = try await test.store.state(of: list, for: zelda.account)
            #expect(found.facts.head == state.sequence && found.digest?.description == state.digest)
            #expect(found.facts.live == 3 && found.facts.discarded == 0 && found.entries?.count == 3)
            #expect(found.members.map(\.account) == [zelda.account, yorick.account])
            #expect(found.invitations.map(\.isLink) == [false, false, true])
            #expect(diagnostics.migrations.allSatisfy { $0.appliedAt != nil })
            // A person on the list sees nothing of the other person's devices; the operator sees both.
            let ofList = try await test.store.diagnostics(
                of: .init(list: list), version: "1.2.3", configuration: [:], withContent: false)
            #expect(Set(ofList.devices.map(\.id)) == [zelda.device, yorick.device])
            // The device's data can be compared with it.
            let dump = try Dump(json: diagnostics.json)
            #expect(dump.lists.map(\.id) == [list] && dump.lists[0].through == found.facts.head)
        }
    }

    @Test(
        "without a filter it is bounded: totals, and the worst of everything",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func bounded() async throws {
        try await TestStore.with { test in
            _ = try await test.person("anna")
            _ = try await test.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        INSERT INTO list (id, owner_id, head)
                        SELECT gen_random_uuid(), gen_random_uuid(), number FROM generate_series(1, 300) AS number;
                        INSERT INTO device (id, account_id, name, token_hash)
                        SELECT gen_random_uuid(), (SELECT id FROM account), '', sha256(number::text::bytea)
                        FROM generate_series(1, 300) AS number;
                        INSERT INTO device_report (device_id, report, positions, held, content_hash, reported_at)
                        SELECT
                            id, jsonb_build_object('oldestAge', row_number() OVER (ORDER BY id) * 1000), '{}', '{}',
                            sha256(''), now()
                        FROM device WHERE name = '';
                        """)
            }
            try await test.store.keepStatementTimes()
            let diagnostics = try await test.store.diagnostics(
                of: .init(), version: "1.2.3", configuration: [:], withContent: false)
            let operation = try #require(diagnostics.operation)
            #expect(operation.totals.accounts == 1 && operation.totals.lists == 300)
            #expect(operation.totals.devicesSignedIn == 301)
            #expect(diagnostics.lists.map(\.facts.head.rawValue) == (281...300).reversed())
            #expect(diagnostics.devices.count == 20 && diagnostics.devices.first?.report?.oldestAge == 300_000)
            #expect(operation.measuredBy == "trolleyd" && (1...10).contains(operation.slowest.count))
            #expect(
                operation.slowest.allSatisfy { $0.calls > 0 && $0.longestMilliseconds >= $0.meanMilliseconds * 0.99 })
        }
    }

    @Test("a list that isn't there is said so, and an account by its address, however it is written")
    func absent() async throws {
        try await TestStore.with { test in
            let zelda = try await test.person("zelda")
            #expect(try await test.store.account(with: .init(unchecked: "ZELDA@example.com")) == zelda.account)
            #expect(try await test.store.account(with: .init(unchecked: "nobody\0")) == nil)
            let unknown = ListID(UUIDBits(high: 1, low: 1))
            #expect(
                await failure {
                    try await test.store.diagnostics(
                        of: .init(list: unknown), version: "", configuration: nil, withContent: false)
                } == "notOnList")
        }
    }
}
