import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync

@testable import trolley

/// Commands that find out, while they send what waits, that the service refuses it.
@Suite(.timeLimit(.minutes(20))) struct RefusedChangeTests {
    @Test(
        "a command that goes back says what was refused, and leaves older changes alone",
        arguments: [["undo"], ["restore", "--to", "1", "--yes"]])
    func refused(line: [String]) async throws {
        let service = StubService()
        let device = try await service.device()
        let list = try await device.makeList(named: "Party")
        try await list.add("milk")
        #expect(try await device.sync().failure == nil)
        service.refuse { $0.fields[Fields.text]?.string == "beer" }
        try await list.add("beer")
        let (document, isFailed) = try await run(line, on: device)
        #expect(isFailed && document.contains(#""refused":1"#) && document.contains("See: trolley queue"))
        #expect(try await list.state().items.map(\.text) == ["milk"])
        #expect(try await device.queues().rejected.count == 1)
        await device.close()
    }

    @Test func `what was refused on another list keeps nobody from going back on this one`() async throws {
        let service = StubService()
        let device = try await service.device()
        let (party, shop) = (try await device.makeList(named: "Party"), try await device.makeList(named: "Shop"))
        try await shop.add("milk")
        #expect(try await device.sync().failure == nil)
        service.refuse { $0.fields[Fields.text]?.string == "beer" }
        try await party.add("beer")
        let (_, isFailed) = try await run(["undo", "--list", "Shop"], on: device)
        #expect(!isFailed)
        #expect(try await shop.state().items.isEmpty)
        #expect(try await device.queues().rejected.count == 1)
        await device.close()
    }
}
