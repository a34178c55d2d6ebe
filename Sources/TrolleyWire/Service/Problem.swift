public import TrolleyJournal

/// An error answer: RFC 9457 `application/problem+json` with a ``ProblemCode``.
public struct Problem: Error, Hashable, Sendable, Codable {
    public static let mediaType = "application/problem+json"

    public var code: ProblemCode
    /// The HTTP status.
    public var status: Int
    /// A general description; the same for each answer with this code.
    public var title: String
    /// What is wrong with this request, and what the client can do.
    public var detail: String?
    /// Seconds to wait before trying again.
    public var retryAfter: Int?
    /// Why a list is gone, with `listDeleted`.
    public var reason: ListGoneReason?
    /// The service's limits, with `limitExceeded`.
    public var limits: Limits?
    /// The id of this request in the service's log, also sent as `X-Request-ID`.
    public var requestID: String?
    /// The possible meanings of an ambiguous name.
    public var candidates: [Candidate]?
    /// With `notAuthenticated`: whether the device was signed out, by a person or an operator, and its account exists. nil:
    /// the service doesn't know.
    public var signedOut: Bool?

    /// A list or an item.
    public struct Candidate: Hashable, Sendable {
        public var id: String
        /// Its name or text.
        public var text: String

        public init(id: some Identifier, text: String) {
            self.id = id.description
            self.text = text
        }
    }

    public init(
        _ code: ProblemCode, _ detail: String? = nil, retryAfter: Int? = nil, reason: ListGoneReason? = nil,
        limits: Limits? = nil, candidates: [Candidate]? = nil
    ) {
        self.code = code
        self.status = code.status
        self.title = code.title
        self.detail = detail
        self.retryAfter = retryAfter
        self.reason = reason
        self.limits = limits
        self.candidates = candidates
    }

    /// The answer to a device that was signed out.
    public static func signedOut(_ detail: String?) -> Problem {
        var problem = Problem(.notAuthenticated, detail)
        problem.signedOut = true
        return problem
    }

    /// Whether the service says that the device was signed out, and that its account exists.
    public var showsSignOut: Bool { code == .notAuthenticated && signedOut == true }
}

extension Problem: CustomStringConvertible {
    public var description: String { detail ?? title }
}

extension ProblemCode {
    /// A sentence for a person.
    public var title: String {
        switch self {
        case .notAuthenticated: "Sign in first."
        case .permissionFailure: "You are not allowed to do that."
        case .crossOriginRequest: "Another site's page may not use this session."
        case .listNotFound: "There is no such list for you."
        case .unknownItem: "There is no such thing."
        case .unknownRoute: "There is no such call."
        case .methodNotAllowed: "This call has other methods."
        case .invalidArguments: "The request is not valid."
        case .serverRecordChanged: "This id is taken by something else."
        case .limitExceeded: "The request is too large; send it in halves."
        case .requestRateLimited: "Too many requests; wait before trying again."
        case .zoneBusy: "The list is busy; try again shortly."
        case .serviceUnavailable: "The service is not available; try again shortly."
        case .partialFailure: "Some entries were not accepted."
        case .batchRequestFailed: "Another entry of the same request was not accepted."
        case .changeTokenExpired: "The change token is no longer valid; fetch afresh."
        case .listDeleted: "The list is gone."
        case .quotaExceeded: "The quota is used up."
        case .tooManyParticipants: "The list has no room for another participant."
        case .alreadyShared: "The list is shared already."
        case .incompatibleVersion: "This version is not supported."
        case .internalError: "Something went wrong in the service."
        }
    }
}
