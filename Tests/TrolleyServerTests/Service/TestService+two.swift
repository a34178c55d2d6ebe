import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

@testable import TrolleyServer

extension TestService {
    /// Two services on one database, none of which looks anywhere by itself within the test's time.
    /// - Parameter configureSecond: what only the second one has.
    static func withTwo(
        configure: (inout ServiceConfiguration) -> Void = { _ in },
        configureSecond: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: (TestService, TestService) async throws -> Void
    ) async throws {
        try await withTestDatabase(migrated) { url in
            try await with(try patientPool(url), isOneOfSeveral: true, configure: configure) { one in
                try await with(
                    try patientPool(url), isOneOfSeveral: true,
                    configure: {
                        configure(&$0)
                        configureSecond(&$0)
                    }
                ) { other in
                    try await body(one, other)
                }
            }
        }
    }

    /// Few connections, for which a test on a busy machine waits long.
    static func patientPool(_ url: String) throws -> Pool {
        var options = Pool.Options()
        options.maximumConnections = 4
        options.acquireTimeout = .seconds(120)
        return Pool(try Store.configuration(url).holdingLocks(), options: options)
    }
}

extension TestService {
    /// Runs the service as one process, which is both, or as two processes on one database.
    static func withProcesses(
        _ count: Int, _ body: (TestService, TestService) async throws -> Void
    ) async throws {
        if count == 1 { try await with { try await body($0, $0) } } else { try await withTwo(body) }
    }
}
