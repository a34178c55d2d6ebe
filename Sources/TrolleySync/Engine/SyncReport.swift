public import TrolleyJournal
public import TrolleyWire

/// The true result of a run. Phones give more time to programs that report when there was nothing new.
public struct SyncReport: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable {
        case newData, noData, failed
    }

    /// Entries that the service has taken.
    public var sent = 0
    /// Entries that the service has rejected for good.
    public var rejected = 0
    /// Changes that are new to the person.
    public var received = 0
    /// Lists that differed from the service's and were fetched again.
    public var differing = 0
    /// Requests to the service, including those without an answer.
    public var requests = 0
    /// Entries that still wait, on all lists.
    public var waiting = 0
    /// Why the run is incomplete.
    public var failure: SyncFailure?
    /// When the next try is due.
    public var nextTry: Timestamp?

    public init() {}

    /// Adds the run that followed this one.
    public mutating func note(_ next: SyncReport) {
        sent += next.sent
        rejected += next.rejected
        received += next.received
        differing += next.differing
        requests += next.requests
        (waiting, failure, nextTry) = (next.waiting, next.failure, next.nextTry)
    }

    public var outcome: Outcome {
        if case .some = failure { return .failed }
        return received > 0 ? .newData : .noData
    }
}

/// Why a run is incomplete.
public enum SyncFailure: Error, Hashable, Sendable {
    /// Nobody is signed in on this device.
    case notSignedIn
    /// The next try is not due yet.
    case tooEarly(Timestamp)
    /// Another program is syncing this device.
    case alreadyRunning
    /// The caller has stopped the run, for instance because it took too long. The next run does the rest.
    case stopped
    case transport(TransportError)
    case store(QueueStoreError)

    /// The service's code, when the service refused a call.
    public var code: ProblemCode? {
        if case .transport(.problem(let problem)) = self { problem.code } else { nil }
    }
}

extension SyncFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notSignedIn: "Nobody is signed in on this device."
        case .tooEarly: "The next try is not due yet."
        case .alreadyRunning: "Another program is syncing this device."
        case .stopped: "The sync was stopped before it was done. The next one does the rest; nothing is lost."
        case .transport(.problem(let problem)) where problem.showsSignOut: Self.signedOut
        case .transport(.problem(let problem)): Self.sentence(for: problem.code) ?? problem.description
        case .transport(let error): error.description
        case .store(let error): error.description
        }
    }

    /// What it means that the device was signed out from elsewhere.
    package static let signedOut = """
        This device was signed out from elsewhere, so your lists have left it. They come back when you sign in; changes that \
        were not sent wait here for you.
        """

    /// The meaning of a refusal for the person and their unsent changes; nil if the service's own sentence explains it.
    package static func sentence(for code: ProblemCode) -> String? {
        switch code {
        case .notAuthenticated: "The service no longer knows this device's session. Nothing is lost: sign in again."
        case .incompatibleVersion:
            "The service and this program speak different versions; update the older one. Nothing is lost."
        case .quotaExceeded:
            "The service has no more room for this list. Your changes stay on this device until it has."
        case .permissionFailure: "You may read this list but no longer change it. Your unsent changes are kept."
        case .requestRateLimited, .zoneBusy, .serviceUnavailable:
            "The service is busy. Nothing is lost; the next sync tries again."
        case .internalError: "Something went wrong in the service. Nothing is lost; the next sync tries again."
        case .batchRequestFailed, .partialFailure:
            "Some changes could not be sent yet; the next sync tries again."
        default: nil
        }
    }
}
