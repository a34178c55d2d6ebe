/// What an endpoint has answered.
struct EndpointAnswer: Hashable, Sendable {
    let status: Int
    /// Seconds, from `Retry-After`.
    let retryAfter: Int64?
}
