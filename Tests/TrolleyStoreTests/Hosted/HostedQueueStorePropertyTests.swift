import Testing
import TrolleyStore
import TrolleySyncTesting

@Suite("The queues of a hosted device, over random sequences", .timeLimit(.minutes(20)))
struct HostedQueueStorePropertyTests {
    @Test(
        "hosted queues are as the plain queues, whatever happens",
        arguments: QueueStoreCheck.random(0..<24, isHosted: true))
    func random(_ check: QueueStoreCheck) async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let store = test.store
            try await check.run { HostedQueueStore(store: store, device: device, account: nil) }
        }
    }
}
