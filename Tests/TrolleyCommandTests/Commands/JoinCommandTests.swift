import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct JoinCommandTests {
    @Test func `a list that was joined and couldn't be fetched yet has its name, and that is said`() async throws {
        let service = StubService()
        let device = try await service.device()
        let list: ListID = StubService.id(5)
        try service.answer(
            "POST \(Path.previewInvitation)",
            with: InvitationPreview(
                list: list, name: "Party", colour: nil, owner: "Bob", permission: .readWrite, accepted: false))
        try service.answer(
            "POST \(Path.accept)",
            with: ListResponse(
                id: list, role: .participant, permission: .readWrite, head: .start, createdAt: .now()))
        try service.answer("POST \(Path.changes)", with: "no page of changes")
        let (document, isFailed) = try await run("join", "https://stub.example/join#secret", on: device)
        #expect(!isFailed && document.contains(#""name":"Party""#), "\(document)")
        #expect(document.contains(#""notFetched":"#), "\(document)")
        #expect(try await device.currentList()?.id == list)
        await device.close()
    }
}
