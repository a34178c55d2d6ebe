public import TrolleyJournal
public import TrolleyWire

/// What a run did, truthfully: phones give more time to programs that say when there was nothing.
public struct SyncReport: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable {
        case newData, noData, failed
    }

    /// Entries that the service took.
    public var sent = 0
    /// Entries that it refused for good.
    public var rejected = 0
    /// Changes that are news to the person.
    public var received = 0
    /// Entries that wait still, on all lists.
    public var waiting = 0
    /// Why not everything was done.
    public var failure: SyncFailure?
    /// When the next try is due.
    public var nextTry: Timestamp?

    public init() {}

    public var outcome: Outcome { failure != nil ? .failed : received > 0 ? .newData : .noData }
}

/// Why a run could not finish.
public enum SyncFailure: Error, Hashable, Sendable {
    /// Nobody is signed in on this device.
    case notSignedIn
    /// It is not time yet.
    case tooEarly(Timestamp)
    /// Another program syncs this device.
    case underWay
    case transport(TransportError)
    case store(QueueStoreError)

    /// The service's code, when it was the service that said no.
    public var code: ProblemCode? {
        if case .transport(.problem(let problem)) = self { problem.code } else { nil }
    }
}

extension SyncFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notSignedIn: "Nobody is signed in on this device; use 'trolley sign-in' or 'trolley sign-up'."
        case .tooEarly(let time): "The next try is due at \(time); to try now: trolley sync"
        case .underWay: "Another program is syncing this device."
        case .transport(.problem(let problem)) where problem.code == .notAuthenticated:
            "The service no longer knows this device's session; sign in again, nothing is lost."
        case .transport(.problem(let problem)) where problem.code == .incompatibleVersion:
            "The service speaks another version; update this program."
        case .transport(let error): error.description
        case .store(let error): error.description
        }
    }
}
