import TrolleyPostgres

// Which connections of the pool work may use (`LeaseShares`), for callers that don't know PostgreSQL.

extension Store {
    /// Runs work that no client waits for. It holds few connections, however much there is to do.
    package static func inBackground(_ body: () async throws -> Void) async rethrows {
        try await LeaseClass.$current.withValue(.background) { try await body() }
    }

    /// Runs work that reads little each time and that clients wait for, such as looking for changes to tell.
    package static func readingShortly(_ body: () async throws -> Void) async rethrows {
        try await LeaseClass.$current.withValue(.shortRead) { try await body() }
    }
}
