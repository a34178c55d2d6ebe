import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Rate limits for accounts, devices and addresses. A refusal is thrown as `requestRateLimited`, with the seconds to
/// wait.
final class RateLimiter: Sendable {
    /// The limit that was exceeded.
    enum Kind: String, Sendable {
        case account, device, address, attemptsByAddress, attemptsByEmail, mailsByAddress, mails, shares, streams,
            sockets, hails

        fileprivate var sentence: String {
            switch self {
            case .account: "too many requests from your devices; wait before trying again"
            case .device: "too many requests from this device; wait before trying again"
            case .address: "too many requests from your network; wait before trying again"
            case .attemptsByAddress: "too many attempts from your network; wait before trying again"
            case .attemptsByEmail: "too many attempts for this address; wait before trying again"
            case .mailsByAddress: "too many mails were requested from your network; wait before trying again"
            case .mails: "too many mails were sent within the last hour; wait before trying again"
            case .shares: "too many changes of people on lists, or of your name, within the last hour; try later"
            case .streams: "too many event streams are open on your devices; close one"
            case .sockets: "the room is full, or too many sockets are open on your devices or in your network"
            case .hails: "too many hails from your devices; wait before sending more"
            }
        }
    }

    private struct Buckets {
        var accounts: TokenBuckets<AccountID>?
        var devices: TokenBuckets<DeviceID>?
        var addresses: TokenBuckets<IPAddress>?
        var attempts: TokenBuckets<IPAddress>?
        var logins: TokenBuckets<Login>?
        var mailsByAddress: TokenBuckets<IPAddress>?
        /// A single bucket.
        var mails: TokenBuckets<Int>?
        var shares: TokenBuckets<AccountID>?
        var known = KnownLogins()
    }

    private let buckets: Mutex<Buckets>
    private let refused: @Sendable (Kind) -> Void
    /// The clock by which buckets fill.
    let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameter refused: called for each refusal.
    init(
        _ rates: Rates, refused: @escaping @Sendable (Kind) -> Void = { _ in },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.refused = refused
        self.clock = clock
        func buckets<Key>(_ count: Int?, per period: Duration) -> TokenBuckets<Key>? {
            count.map { TokenBuckets($0, per: period) }
        }
        self.buckets = Mutex(
            Buckets(
                accounts: buckets(rates.requestsPerMinuteByAccount, per: .seconds(60)),
                devices: buckets(rates.requestsPerMinuteByDevice, per: .seconds(60)),
                addresses: buckets(rates.requestsPerMinuteByAddress, per: .seconds(60)),
                attempts: buckets(rates.attemptsPerHourByAddress, per: .seconds(3600)),
                logins: buckets(rates.attemptsPerHourByEmail, per: .seconds(3600)),
                mailsByAddress: buckets(rates.mailsPerHourByAddress, per: .seconds(3600)),
                mails: buckets(rates.mailsPerHour, per: .seconds(3600)),
                shares: buckets(rates.shareChangesPerHourByAccount, per: .seconds(3600))))
    }

    /// Counts a request by its address.
    func admit(_ address: IPAddress?) throws(Problem) {
        guard let address = address?.counted else { return }
        try check(.address, buckets.withLock { $0.addresses?.take(address, at: clock()) })
    }

    /// Counts a request by its device and account.
    func admit(_ session: Session) throws(Problem) {
        try check(.device, buckets.withLock { $0.devices?.take(session.device, at: clock()) })
        try check(.account, buckets.withLock { $0.accounts?.take(session.account, at: clock()) })
    }

    /// Counts a change to the people on a list that may be repeated. Leaving, removing and declining are not counted:
    /// each needs one of the counted changes before it, and must always be possible.
    func admitShareChange(by account: AccountID) throws(Problem) {
        try check(.shares, buckets.withLock { $0.shares?.take(account, at: clock()) })
    }

    /// Counts a mail that a client requests, whether it can be sent or not.
    func admitMail(from address: IPAddress?) throws(Problem) {
        let address = address?.counted
        if let address {
            try check(.mailsByAddress, buckets.withLock { $0.mailsByAddress?.take(address, at: clock()) })
        }
        do throws(Problem) { try check(.mails, buckets.withLock { $0.mails?.take(0, at: clock()) }) } catch {
            if let address { buckets.withLock { $0.mailsByAddress?.giveBack(address, at: clock()) } }
            throw error
        }
    }

    /// A counted attempt, which can be given back.
    struct Attempt: Hashable, Sendable {
        fileprivate let address: IPAddress?
        fileprivate let login: Login?
    }

    /// Counts an attempt, before a password is hashed or an invitation is looked up. It counts whether it succeeds or
    /// not.
    /// - Parameter email: in the form used for comparison; nil when the request names none.
    @discardableResult
    func attempt(_ email: String?, from address: IPAddress?) throws(Problem) -> Attempt {
        let address = address?.counted
        if let address { try check(.attemptsByAddress, buckets.withLock { $0.attempts?.take(address, at: clock()) }) }
        guard let email = email.map(Self.counted) else { return Attempt(address: address, login: nil) }
        let (login, admission) = buckets.withLock { buckets in
            let login = buckets.known.login(email, from: address)
            return (login, buckets.logins?.take(login, at: clock()))
        }
        try check(.attemptsByEmail, admission)
        return Attempt(address: address, login: login)
    }

    /// Counts an attempt like ``attempt(_:from:)``. Gives it back when `body` fails without checking the
    /// credentials, because the service is overloaded or has no database.
    func attempting<Value>(
        _ email: String?, from address: IPAddress?, _ body: () async throws -> Value
    ) async throws -> Value {
        let attempt = try attempt(email, from: address)
        do { return try await body() } catch {
            if Problem(answering: error, limits: Limits()).status >= 500 { giveBack(attempt) }
            throw error
        }
    }

    /// Undoes the counting of an attempt.
    func giveBack(_ attempt: Attempt) {
        buckets.withLock { buckets in
            if let address = attempt.address { buckets.attempts?.giveBack(address, at: clock()) }
            if let login = attempt.login { buckets.logins?.giveBack(login, at: clock()) }
        }
    }

    /// Call this after a successful sign-in. The person's attempts from this address are then counted separately from
    /// strangers' attempts.
    func succeeded(_ email: String, from address: IPAddress?) {
        buckets.withLock { $0.known.insert(Login(email: Self.counted(email), address: address?.counted)) }
    }

    /// All texts that can't be an address share one bucket, and take no memory.
    private static func counted(_ email: String) -> String { email.utf8.count > 254 ? "" : email }

    private func check(_ kind: Kind, _ admission: Admission?) throws(Problem) {
        guard case .refused(let wait) = admission else { return }
        throw refusal(kind, wait: wait)
    }

    /// Counts a refusal, and returns its problem.
    func refusal(_ kind: Kind, wait: Duration) -> Problem {
        refused(kind)
        // Rounded up, so that a request after this time is admitted.
        let seconds = Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0)
        return Problem(.requestRateLimited, kind.sentence, retryAfter: max(1, seconds))
    }
}
