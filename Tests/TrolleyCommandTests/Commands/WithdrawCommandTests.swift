import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

/// Withdrawing invitations that this device has not seen taken.
@Suite(.timeLimit(.minutes(20))) struct WithdrawCommandTests {
    /// A list on the service, with an invitation whose answer was lost.
    private func party(on device: Device, _ service: StubService) async throws -> ListID {
        let (list, _) = try await device.makeList(
            named: "Party", inviting: [InvitationRequest(email: "bob@example.com")])
        #expect(try await device.sync().failure == nil)
        #expect(try await list.waitingInvitations().count == 1)
        return list.id
    }

    @Test func `an invitation that waits here and that the service has is withdrawn in both places`() async throws {
        let service = StubService()
        let device = try await service.device()
        let list = try await party(on: device, service)
        let invitation: InvitationID = StubService.id(7)
        try service.answer(
            "GET \(Path.invitations(list))",
            with: InvitationsResponse(
                invitations: [
                    OpenInvitation(
                        id: invitation, email: "bob@example.com", permission: .readWrite, createdAt: .now(),
                        expiresAt: nil, accepted: false)
                ]))
        let (document, isFailed) = try await run("withdraw", "bob@example.com", on: device)
        #expect(!isFailed && document.contains(#""withdrawn":["\#(invitation)"]"#), "\(document)")
        #expect(service.calls.contains("DELETE \(Path.invitation(invitation, to: list))"))
        await device.close()
    }

    @Test func `if the service can't be asked, that is said`() async throws {
        let service = StubService()
        let device = try await service.device()
        let list = try await party(on: device, service)
        service.setReachable(false)
        let (document, isFailed) = try await run("withdraw", "bob@example.com", on: device)
        #expect(!isFailed && document.contains(#""offline":true"#), "\(document)")
        #expect(try await device.list(list).waitingInvitations().isEmpty)
        await device.close()
    }
}
