package import Testing

/// Polls a value until it satisfies a condition, and returns it. If it doesn't in time, the test fails at the caller's
/// place with the last value, and this throws.
/// - Parameters:
///   - what: what should become true, for the message of a failure.
///   - limit: long even on a busy machine, so that only a fault reaches it.
///   - pause: the time between two looks.
@discardableResult
nonisolated(nonsending) package func eventually<Value>(
    _ what: Comment? = nil, within limit: Duration = .seconds(300), every pause: Duration = .milliseconds(10),
    sourceLocation: SourceLocation = #_sourceLocation, _ value: () async throws -> Value,
    until isReached: (Value) async throws -> Bool
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        let last = try await value()
        if try await isReached(last) { return last }
        let isInTime = ContinuousClock.now < end
        let intro = what.map { "\($0.rawValue); " } ?? ""
        try #require(isInTime, "\(intro)after \(limit) the value is still: \(last)", sourceLocation: sourceLocation)
        // Sleeps: this is the one place where tests poll.
        try await Task.sleep(for: pause)
    }
}

/// Polls a condition until it holds. If it doesn't in time, the test fails at the caller's place, and this throws.
nonisolated(nonsending) package func eventually(
    _ what: Comment, within limit: Duration = .seconds(300), every pause: Duration = .milliseconds(10),
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    try await eventually(
        what, within: limit, every: pause, sourceLocation: sourceLocation, condition, until: { $0 })
}
