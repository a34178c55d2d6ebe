/// Fails if the result doesn't come within a minute, which is long even on a busy machine.
func within<Value: Sendable>(
    _ limit: Duration = .seconds(60), _ body: @escaping @Sendable () async throws -> Value
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
