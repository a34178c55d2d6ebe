import ServiceLifecycle
import Synchronization
import Testing
import TrolleyPostgres

@testable import TrolleyServer

@Suite("The use of the database by parts of the service", .timeLimit(.minutes(20)))
struct DatabaseUseTests {
    private final class Part: ServiceLifecycle.Service {
        let classes = Mutex<[LeaseClass]>([])

        func run() async throws {
            classes.withLock { $0.append(.current) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { self.classes.withLock { $0.append(.current) } }
            }
        }
    }

    @Test("background work and hints keep to their class, also in child tasks")
    func classes() async throws {
        for (kind, use) in [(DatabaseUse.Kind.background, LeaseClass.background), (.hints, .shortRead)] {
            let part = Part()
            try await DatabaseUse(kind, part).run()
            #expect(part.classes.withLock { $0 } == [use, use])
        }
        #expect(LeaseClass.current == .request)
    }
}
