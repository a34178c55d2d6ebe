/// Fails if the result doesn't come in time. The limit is long even on a busy machine, so that only a fault reaches it.
func within<Value: Sendable>(
    _ limit: Duration = .seconds(300), _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            // Sleeps: this is the limit itself.
            try await Task.sleep(for: limit)
            throw TookTooLong()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw TookTooLong() }
        return value
    }
}

struct TookTooLong: Error {}
