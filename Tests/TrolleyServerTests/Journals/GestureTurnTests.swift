import Synchronization
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("The turns of gestures", .timeLimit(.minutes(20)))
struct GestureTurnTests {
    @Test("an account with gestures on many lists leaves places for others")
    func fair() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let annas = [
                try await service.list(of: anna), try await service.list(of: anna), try await service.list(of: anna),
            ]
            let bens = try await service.list(of: ben)
            let gestures = Gestures(
                store: service.service.store, uploads: service.service.gestures.uploads, limits: Limits(),
                parallel: 2, parallelOfAccount: 1)
            let annasGestures = Held()
            try await within {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for list in annas {
                        tasks.addTask {
                            try await gestures.withTurn(on: list, of: anna.account) { await annasGestures.stay() }
                        }
                    }
                    try await eventually("all three have come") { annasGestures.count + gestures.waiting == 3 }
                    // It would wait for Anna's if those had all places.
                    try await gestures.withTurn(on: bens, of: ben.account) {}
                    #expect(annasGestures.count == 1)
                    annasGestures.release()
                    try await tasks.waitForAll()
                }
            }
        }
    }

    /// Gestures that stay where they are until they are released.
    private final class Held: Sendable {
        private let state = Mutex((count: 0, isReleased: false))

        /// The number that stay.
        var count: Int { state.withLock { $0.count } }

        func release() { state.withLock { $0.isReleased = true } }

        func stay() async {
            state.withLock { $0.count += 1 }
            while !state.withLock({ $0.isReleased }), !Task.isCancelled { await Task.yield() }
            state.withLock { $0.count -= 1 }
        }
    }
}
