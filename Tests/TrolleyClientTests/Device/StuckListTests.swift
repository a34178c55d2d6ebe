import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// A list that the service doesn't take.
@Suite(.timeLimit(.minutes(20))) struct StuckListTests {
    @Test func `a list that the service has no room for holds up nothing of the others`() async throws {
        let service = InMemoryService()
        let (phone, desk) = (try await service.device(of: "Ann"), try await service.device(of: "Ann"))
        service.goWrong { method, path in method == "POST" && path.hasSuffix("/invitations") ? .lostRequest : nil }
        let (party, _) = try await phone.makeList(
            named: "Party", inviting: [InvitationRequest(email: "ben@example.com")])
        _ = try await phone.sync()
        _ = try await desk.sync()
        try await desk.list(party.id).add("chips")
        _ = try await desk.sync()
        _ = try await phone.sync()

        service.goWrong { method, path in
            method == "POST" && path == Path.lists ? .problem(Problem(.quotaExceeded)) : nil
        }
        _ = try await phone.makeList(named: "One too many")
        try await party.setPinned(true)
        try await party.markRead(offline: true)
        #expect(try await phone.store.readMarks().contains { $0.isUntold })
        #expect(try await phone.sync().failure?.code == .quotaExceeded)
        #expect(try await party.waitingInvitations().isEmpty)
        #expect(try await party.invitations().map(\.email) == ["ben@example.com"])
        #expect(try await phone.store.untoldPlaces().isEmpty)
        #expect(try await phone.store.readMarks().allSatisfy { !$0.isUntold })
        _ = try await desk.sync()
        #expect(try await desk.list(party.id).summary().place.pinned)
        await phone.close()
        await desk.close()
    }

    @Test func `a list that is busy keeps no invitations of others`() async throws {
        let service = InMemoryService()
        let phone = try await service.device(of: "Ann")
        let (busy, _) = try await phone.makeList(
            named: "Busy", inviting: [InvitationRequest(email: "ben@example.com")])
        let (party, _) = try await phone.makeList(
            named: "Party", inviting: [InvitationRequest(email: "cleo@example.com")])
        service.goWrong { method, path in
            method == "POST" && path == Path.invitations(busy.id) ? .problem(Problem(.zoneBusy)) : nil
        }
        _ = try await phone.sync()
        #expect(try await party.waitingInvitations().isEmpty)
        #expect(try await busy.waitingInvitations().count == 1)
        service.goWrong { _, _ in nil }
        _ = try await phone.sync()
        #expect(try await busy.waitingInvitations().isEmpty)
        await phone.close()
    }

    @Test func `when the service can't be asked, nothing else is tried`() async throws {
        let service = InMemoryService()
        let phone = try await service.device(of: "Ann")
        let list = try await phone.makeList(named: "Shop")
        _ = try await phone.sync()
        try await list.setPinned(true)
        service.goWrong { _, path in
            path == Path.changes ? .problem(Problem(.serviceUnavailable, retryAfter: 60)) : nil
        }
        #expect(try await phone.sync().failure?.code == .serviceUnavailable)
        #expect(try await phone.store.untoldPlaces().count == 1)
        await phone.close()
    }
}
