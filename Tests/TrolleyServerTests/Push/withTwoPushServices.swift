import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

@testable import TrolleyServer

/// Two services on one database that send to this machine.
func withTwoPushServices(_ body: (TestService, TestService) async throws -> Void) async throws {
    try await withTestDatabase(TestService.migrated) { url in
        try await TestService.with(patientPool(url), isOneOfSeveral: true, configure: { PushScene.configure(&$0) }) {
            one in
            try await TestService.with(patientPool(url), isOneOfSeveral: true, configure: { PushScene.configure(&$0) })
            {
                other in try await body(one, other)
            }
        }
    }
}

func patientPool(_ url: String) throws -> Pool {
    var options = Pool.Options()
    options.maximumConnections = 4
    options.acquireTimeout = .seconds(120)
    return Pool(try Store.configuration(url), options: options)
}
