/// Limits on the rate of requests. `GET /v1/config` contains the limits in force; nil: unlimited.
///
/// Beyond a limit the answer is `requestRateLimited` with the seconds to wait. Unused requests are saved up for one
/// period, so that a device that returns after a week may send more at first.
public struct Rates: Hashable, Sendable, Codable {
    /// Requests of all devices of one account together.
    public var requestsPerMinuteByAccount: Int?
    /// Requests of one device.
    public var requestsPerMinuteByDevice: Int?
    /// Requests from one address (IPv6: from one /64 network), signed in or not.
    public var requestsPerMinuteByAddress: Int?
    /// Sign-ups, sign-ins, and previews of unknown invitations, from one address.
    public var attemptsPerHourByAddress: Int?
    /// Sign-ups and sign-ins for one email address.
    public var attemptsPerHourByEmail: Int?
    /// Mails with a code that one address requests.
    public var mailsPerHourByAddress: Int?
    /// Mails with a code, from all addresses together.
    public var mailsPerHour: Int?
    /// Invitations, acceptances, permission changes and hand-overs by one account.
    public var shareChangesPerHourByAccount: Int?
    /// Event streams open at once on one device; the oldest makes room for a new one.
    public var streamsPerDevice: Int?
    /// Event streams open at once on one person's devices together.
    public var streamsPerAccount: Int?

    public init(
        requestsPerMinuteByAccount: Int? = 6000, requestsPerMinuteByDevice: Int? = 3000,
        requestsPerMinuteByAddress: Int? = 60_000, attemptsPerHourByAddress: Int? = 3600,
        attemptsPerHourByEmail: Int? = 60, mailsPerHourByAddress: Int? = 10, mailsPerHour: Int? = 200,
        shareChangesPerHourByAccount: Int? = 1200, streamsPerDevice: Int? = 4, streamsPerAccount: Int? = 100
    ) {
        self.requestsPerMinuteByAccount = requestsPerMinuteByAccount
        self.requestsPerMinuteByDevice = requestsPerMinuteByDevice
        self.requestsPerMinuteByAddress = requestsPerMinuteByAddress
        self.attemptsPerHourByAddress = attemptsPerHourByAddress
        self.attemptsPerHourByEmail = attemptsPerHourByEmail
        self.mailsPerHourByAddress = mailsPerHourByAddress
        self.mailsPerHour = mailsPerHour
        self.shareChangesPerHourByAccount = shareChangesPerHourByAccount
        self.streamsPerDevice = streamsPerDevice
        self.streamsPerAccount = streamsPerAccount
    }
}
