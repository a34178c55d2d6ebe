import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// A device's report to the service.
@Suite(.timeLimit(.minutes(20))) struct QueueReportTests {
    @Test func `failures of runs and rejected entries are reported, newest first`() async throws {
        let service = ScriptedService()
        let phone = try SyncTests.Phone(service)
        let list: ListID = Samples.id()
        try await phone.store.addList(list)
        try await phone.add(["milk", "bread"], to: list)
        service.goWrong { _, _ in .lostRequest }
        for _ in 1...2 { _ = await phone.engine.run(.manual) }
        phone.clock.pass(1000)
        service.heal()
        service.refuse { $0.fields[Fields.text] == "bread" ? .invalidArguments : nil }
        #expect(await phone.engine.run(.manual).failure == nil)
        phone.clock.pass(500)
        let report = try await phone.store.report(at: phone.clock.now)
        #expect(report.upload.isEmpty && report.held.isEmpty && report.oldestAge == nil)
        #expect(
            report.failures == [
                .init(code: "invalidArguments", count: 1, age: 500), .init(code: "unreachable", count: 2, age: 1500),
            ])
        // A failure that is a week old is not reported.
        phone.clock.pass(8 * 86_400_000)
        service.goWrong { _, _ in .problem(Problem(.serviceUnavailable)) }
        _ = await phone.engine.run(.manual)
        #expect(try await phone.store.report(at: phone.clock.now).failures.map(\.code).contains("unreachable") == false)
    }

    @Test func `a list that stays on the device is nobody else's business`() async throws {
        let phone = try SyncTests.Phone(ScriptedService())
        let list: ListID = Samples.id()
        try await phone.store.addList(list)
        try await phone.add(["milk"], to: list)
        #expect(try await phone.store.report(at: phone.clock.now).held == [list: 1])
        try await phone.store.write { try $0.db.execute(sql: "UPDATE list SET local = 1") }
        #expect(try await phone.store.report(at: phone.clock.now) == QueueReport())
    }
}
