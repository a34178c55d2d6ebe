/// What reading long lists may take of the process. Everything short goes past these limits.
public struct ReadingLimits: Hashable, Sendable {
    /// Long reads at the same time; of one account one. Others wait for their turn, accounts in rotation.
    public var parallel = 4
    /// Bytes that what was read may take until it has been sent, over all requests.
    public var bytes = 96 << 20
    /// Bytes of one account's requests; so also of one request.
    public var bytesPerAccount = 32 << 20

    public init() {}

    /// For an operator's command, which serves nobody else.
    public static var none: ReadingLimits {
        var limits = ReadingLimits()
        limits.bytes = .max / 4
        limits.bytesPerAccount = .max / 4
        return limits
    }
}
