import Synchronization
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// Lists that are made together with their invitations.
@Suite(.timeLimit(.minutes(20))) struct WaitingInvitationTests {
    let service = InMemoryService()

    private func invite(_ emails: String...) -> [InvitationRequest] { emails.map { InvitationRequest(email: $0) } }

    @Test func `a list is made with its people offline, and the links that it showed then work when it has synced`()
        async throws
    {
        let (ann, ben) = (try await service.device(of: "Ann"), try await service.device(of: "Ben"))
        service.isReachable = false
        let (party, made) = try await ann.makeList(
            named: "Party", inviting: invite("ben@example.com", "cleo@example.com"))
        try await party.add("balloons\ncake\ncups\ncrisps\nlemonade\nstraws")
        #expect(made.map(\.email) == ["ben@example.com", "cleo@example.com"] && made.allSatisfy { $0.refusal == nil })
        #expect(try await ann.sync().failure != nil)
        #expect(try await party.waitingInvitations() == made, "a failed sync loses none")

        service.isReachable = true
        #expect(try await ann.sync().failure == nil)
        #expect(try await party.waitingInvitations().isEmpty)
        #expect(try await party.summary().invited == 2, "the sync that sends them shows the people")
        let link = try #require(made[0].link)
        let preview = try await ben.previewInvitation(link)
        #expect(preview.name == "Party" && preview.wanted == 6)
        #expect(preview.items == ["balloons", "cake", "cups", "crisps", "lemonade"])
        let joined = try await ben.join(link)
        #expect(try await joined.list.state() == party.state())
    }

    @Test func `an invitation whose answer was lost is sent again, and stays one`() async throws {
        let ann = try await service.device(of: "Ann")
        service.goWrong { method, path in method == "POST" && path.hasSuffix("invitations") ? .lostResponse : nil }
        let (party, _) = try await ann.makeList(named: "Party", inviting: invite("ben@example.com"))
        _ = try await ann.sync()
        #expect(try await party.waitingInvitations().count == 1)
        service.goWrong { _, _ in nil }
        _ = try await ann.sync()
        #expect(try await party.waitingInvitations().isEmpty)
        #expect(try await party.invitations().map(\.email) == ["ben@example.com"])
    }

    @Test func `what the service refuses is told, the list and the other invitations remain`() async throws {
        let ann = try await service.device(of: "Ann")
        let isFirst = Mutex(true)
        service.goWrong { method, path in
            guard method == "POST", path.hasSuffix("invitations"),
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return nil }
            return .problem(Problem(.tooManyParticipants, "a list may have at most 100 people"))
        }
        let (party, _) = try await ann.makeList(
            named: "Party", inviting: invite("ben@example.com", "cleo@example.com"))
        #expect(try await ann.sync().failure == nil, "a refused invitation is no failed sync")
        let refused = try await party.waitingInvitations()
        #expect(refused.map(\.email) == ["ben@example.com"])
        #expect(refused[0].refusal?.code == ErrorCode(.tooManyParticipants))
        #expect(refused[0].refusal?.description.contains("100 people") == true)
        #expect(try await party.invitations().map(\.email) == ["cleo@example.com"])
        let requests = try await ann.sync().requests
        #expect(requests <= 2, "a refused invitation isn't sent again")
        #expect(try await party.dismissInvitations(for: "BEN@example.com") == 1)
        #expect(try await party.waitingInvitations().isEmpty)
    }

    @Test func `when too many people were invited, the rest waits, with one request a sync`() async throws {
        let ann = try await service.device(of: "Ann")
        service.goWrong { method, path in
            method == "POST" && path.hasSuffix("invitations")
                ? .problem(Problem(.requestRateLimited, retryAfter: 60)) : nil
        }
        let (party, _) = try await ann.makeList(
            named: "Party", inviting: invite("ben@example.com", "cleo@example.com", "dan@example.com"))
        let report = try await ann.sync()
        #expect(report.failure == nil && report.requests <= 6)
        #expect(try await party.waitingInvitations().map(\.refusal) == [nil, nil, nil])
        service.goWrong { _, _ in nil }
        _ = try await ann.sync()
        #expect(try await party.invitations().count == 3)
    }

    @Test func `what is no address makes nothing`() async throws {
        let ann = try await service.device(of: "Ann")
        for text in ["bob", "bob@", "@example.com", "a@b@c", "bob @example.com", ""] {
            await #expect(throws: DeviceError.notAnEmailAddress(text)) {
                _ = try await ann.makeList(named: "Party", inviting: invite("ben@example.com", text))
            }
        }
        #expect(try await ann.lists().isEmpty)
    }

    @Test func `without an account they wait for one, and signing out keeps what waits`() async throws {
        let device = try service.device()
        let (party, made) = try await device.makeList(named: "Party", inviting: invite("ben@example.com"))
        #expect(made.map(\.link) == [nil])
        _ = try await device.signUp(
            server: InMemoryService.address, email: "ann@example.com", name: "Ann", password: InMemoryService.password)
        let link = try #require(try await party.waitingInvitations().first?.link)
        service.goWrong { method, path in method == "POST" && path.hasSuffix("invitations") ? .lostRequest : nil }
        _ = try await device.sync()
        _ = try await device.signOut()
        #expect(try await device.lists().isEmpty)
        service.goWrong { _, _ in nil }
        _ = try await device.signIn(
            server: InMemoryService.address, email: "ann@example.com", password: InMemoryService.password)
        _ = try await device.sync()
        #expect(try await party.waitingInvitations().isEmpty)
        let ben = try await service.device(of: "Ben")
        #expect(try await ben.previewInvitation(link).name == "Party")
    }

    @Test func `stopping to share ends what waits`() async throws {
        let ann = try await service.device(of: "Ann")
        service.goWrong { method, path in method == "POST" && path.hasSuffix("invitations") ? .lostRequest : nil }
        let (party, _) = try await ann.makeList(named: "Party", inviting: invite("ben@example.com"))
        _ = try await ann.sync()
        try await party.stopSharing()
        service.goWrong { _, _ in nil }
        _ = try await ann.sync()
        #expect(try await party.invitations().isEmpty)
        #expect(try await party.waitingInvitations().isEmpty)
    }
}
