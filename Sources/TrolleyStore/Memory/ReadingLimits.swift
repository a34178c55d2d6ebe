/// Limits on reading long lists. Short reads are exempt.
package struct ReadingLimits: Hashable, Sendable {
    /// Long reads at the same time; one per account. Others wait, and accounts take turns.
    package var parallel = 4
    /// Bytes that all requests together may hold until they are sent.
    package var bytes = 96 << 20
    /// Bytes that the requests of one account may hold, so also the limit of one request.
    package var bytesPerAccount = 32 << 20

    package init() {}

    /// For an operator's command, which serves nobody else.
    package static var none: ReadingLimits {
        var limits = ReadingLimits()
        limits.bytes = .max / 4
        limits.bytesPerAccount = .max / 4
        return limits
    }
}
