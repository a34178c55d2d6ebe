import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Signing out of a device that was signed out elsewhere just before.
@Suite(.timeLimit(.minutes(20))) struct SignOutTests {
    private let service = InMemoryService()

    /// Ann's device, with a list that the service has and one that it hasn't. From now on the service says that the device was
    /// signed out.
    private func signedOutElsewhere() async throws -> Device {
        let device = try await service.device(of: "Ann")
        try await device.makeList(named: "Sent")
        _ = try await device.sync()
        try await device.makeList(named: "Unsent")
        service.goWrong { _, _ in .problem(.signedOut(nil)) }
        return device
    }

    @Test("the lists do what the person chooses", arguments: [SignOutListPolicy.stay, .hide, .leave, .forget])
    func chosen(policy: SignOutListPolicy) async throws {
        let device = try await signedOutElsewhere()
        let left = try await device.signOut(lists: policy)
        #expect(left == Device.SignOut(waiting: 1, isKnownToService: true, lists: policy, count: 2))
        #expect(try await device.lists().count == (policy == .stay ? 2 : 0))
        let hidden: [SignOutListPolicy: [Int]] = [.hide: [2], .leave: [1]]
        #expect(try await device.hiddenLists().map(\.lists) == hidden[policy] ?? [])
        #expect(try await device.session() == nil)
        await device.close()
    }

    @Test func `without a choice they leave, because the service has them`() async throws {
        let device = try await signedOutElsewhere()
        #expect(try await device.signOut().lists == .leave)
        await device.close()
    }

    @Test func `what another sync has made of them is told, and what is left can be forgotten`() async throws {
        for (policy, done) in [(SignOutListPolicy.stay, SignOutListPolicy.leave), (.forget, .forget)] {
            let device = try await signedOutElsewhere()
            let session = try #require(try await device.session())
            _ = try await device.sync()
            #expect(try await device.signedOutElsewhere() != nil)
            let left = try await device.store.signOut(of: session, policy, isKnown: true, hadEnded: false)
            #expect(left == Device.SignOut(waiting: 1, isKnownToService: true, lists: done, count: 1))
            #expect(try await device.hiddenLists().count == (policy == .forget ? 0 : 1))
            await device.close()
            service.goWrong { _, _ in nil }
        }
    }

    @Test func `a session that has ended meanwhile signs nobody else out`() async throws {
        let device = try await service.device(of: "Ann")
        let session = try #require(try await device.session())
        try await device.store.signOut()
        _ = try await service.device(of: "Ben")
        _ = try await device.signIn(
            server: InMemoryService.address, email: "ben@example.com", password: InMemoryService.password)
        _ = try await device.store.signOut(of: session, .forget, isKnown: true, hadEnded: false)
        #expect(try await device.session()?.email == "ben@example.com")
        await device.close()
    }
}
