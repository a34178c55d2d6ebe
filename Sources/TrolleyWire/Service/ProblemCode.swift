/// What went wrong, after CloudKit's codes. The text is frozen; each has one HTTP status.
public enum ProblemCode: String, CaseIterable, Hashable, Sendable, Codable {
    /// No session, or one that has ended: sign in again.
    case notAuthenticated
    /// Signed in, on the list, and still not allowed.
    case permissionFailure
    /// No such list, or not yours: which of the two is never told.
    case listNotFound
    /// No such thing as the request names.
    case unknownItem
    /// The request doesn't say what it should.
    case invalidArguments
    /// The id is taken by something with other content.
    case serverRecordChanged
    /// Too much in one request: split it in half and try both.
    case limitExceeded
    /// Too many requests: wait `retryAfter`.
    case requestRateLimited
    /// The list is busy: wait `retryAfter`.
    case zoneBusy
    /// The service is not ready: wait `retryAfter`.
    case serviceUnavailable
    /// Some entries were accepted, some not.
    case partialFailure
    /// Nothing wrong with this entry; another one of its atomic request was.
    case batchRequestFailed
    /// The change token can't be honoured: fetch afresh.
    case changeTokenExpired
    /// The list is gone; `reason` says why.
    case listDeleted
    /// The account's quota is used up.
    case quotaExceeded
    /// The list has as many participants as it can have.
    case tooManyParticipants
    /// The list is shared already.
    case alreadyShared
    /// The client is too old or too new for this service.
    case incompatibleVersion
    /// A fault of the service's.
    case internalError

    /// The HTTP status that goes with the code.
    public var status: Int {
        switch self {
        case .partialFailure: 200
        case .invalidArguments: 400
        case .notAuthenticated: 401
        case .permissionFailure: 403
        case .listNotFound, .unknownItem: 404
        case .serverRecordChanged, .tooManyParticipants, .alreadyShared, .batchRequestFailed: 409
        case .changeTokenExpired, .listDeleted: 410
        case .limitExceeded, .quotaExceeded: 413
        case .incompatibleVersion: 426
        case .requestRateLimited: 429
        case .internalError: 500
        case .zoneBusy, .serviceUnavailable: 503
        }
    }

    #if !hasFeature(Embedded)
        /// Reads a code. One that only a later version knows is `internalError`: nothing is given up for it, and it is tried
        /// again later.
        public init(from decoder: any Decoder) throws {
            self = ProblemCode(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .internalError
        }
    #endif

    /// Whether the same request may succeed later, unchanged.
    public var isTransient: Bool {
        self == .requestRateLimited || self == .zoneBusy || self == .serviceUnavailable
    }
}
