import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync

@testable import trolley

/// Commands that find out, while they send what waits, that the service refuses it.
@Suite(.timeLimit(.minutes(5))) struct RefusedChangeTests {
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
}
