import TrolleyJournal

/// The kinds of errors, after CloudKit's codes. The names are frozen; each has one HTTP status.
public enum ProblemCode: String, CaseIterable, Hashable, Sendable, Codable {
    /// There is no session, or it has ended: sign in again.
    case notAuthenticated
    /// The account is on the list but may not do this.
    case permissionFailure
    /// A page of another origin tried to use a browser's session.
    case crossOriginRequest
    /// The list doesn't exist, or the account is not on it. The answer never says which.
    case listNotFound
    /// Something that the request names doesn't exist.
    case unknownItem
    /// The service has no such route.
    case unknownRoute
    /// The route exists, with other methods: see `Allow`.
    case methodNotAllowed
    /// The request is invalid.
    case invalidArguments
    /// The id belongs to something with other content.
    case serverRecordChanged
    /// The request is too large: split it in half and send both parts.
    case limitExceeded
    /// Too many requests: wait for `retryAfter`.
    case requestRateLimited
    /// The list is busy: wait for `retryAfter`.
    case zoneBusy
    /// The service is not available: wait for `retryAfter`.
    case serviceUnavailable
    /// Some entries were accepted, some rejected.
    case partialFailure
    /// This entry is valid, but another entry of its atomic request was rejected.
    case batchRequestFailed
    /// The change token is refused: fetch again without it.
    case changeTokenExpired
    /// The list is gone; `reason` gives the reason.
    case listDeleted
    /// The account's quota is used up.
    case quotaExceeded
    /// The list has the largest number of participants.
    case tooManyParticipants
    /// The list is shared already.
    case alreadyShared
    /// The client is too old or too new for this service.
    case incompatibleVersion
    /// A fault in the service.
    case internalError

    /// The HTTP status for the code.
    public var status: Int {
        switch self {
        case .partialFailure: 200
        case .invalidArguments: 400
        case .notAuthenticated: 401
        case .permissionFailure, .crossOriginRequest: 403
        case .listNotFound, .unknownItem, .unknownRoute: 404
        case .methodNotAllowed: 405
        case .serverRecordChanged, .tooManyParticipants, .alreadyShared, .batchRequestFailed: 409
        case .changeTokenExpired, .listDeleted: 410
        case .limitExceeded, .quotaExceeded: 413
        case .incompatibleVersion: 426
        case .requestRateLimited: 429
        case .internalError: 500
        case .zoneBusy, .serviceUnavailable: 503
        }
    }

    /// Reads a code. A code that only a later version knows becomes `internalError`: the device gives up nothing and tries
    /// again later.
    @inline(never) package init(word: String) { self = Self(name: word) ?? .internalError }

    #if !hasFeature(Embedded)
        public init(from decoder: any Decoder) throws {
            self.init(word: try decoder.singleValueContainer().decode(String.self))
        }
    #endif

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        self == .requestRateLimited || self == .zoneBusy || self == .serviceUnavailable
    }
}
