public import TrolleyPostgres
public import TrolleyWire

/// Why the store did not do it. Nothing was stored.
public enum StoreError: Error, Sendable {
    case emailTaken
    /// The list doesn't exist, or the account is not on it: which of the two is never told.
    case notOnList
    /// The account was on the list.
    case gone(ListGoneReason)
    /// The participant may read the list and not change it.
    case readOnly
    /// Only the owner may.
    case ownerOnly
    /// The list's id belongs to somebody else's list.
    case listIDTaken
    /// No such invitation, or not for this account, or used.
    case unknownInvitation
    case unknownParticipant
    case unknownDevice
    /// The owner can't leave.
    case ownerStays
    case tooManyParticipants
    /// The account has as many hosted devices as it may have.
    case tooManyHostedDevices
    /// Too many wait to change the list already; the same call may succeed later.
    case busy
    /// The database can't be reached or is too busy; the same call may succeed later.
    case unavailable(PostgresError)
    /// The database refused: a fault of ours.
    case database(PostgresError)

    /// What a transaction threw: the store's own verdict, the database's, or that the task was cancelled.
    init(any error: any Error) {
        self =
            switch error {
            case let error as StoreError: error
            case let error as PostgresError: StoreError(error)
            default: .unavailable(PostgresError(.cancelled, "the request was cancelled"))
            }
    }

    init(_ error: PostgresError) {
        switch error.kind {
        case .connectionFailed, .connectionLost, .acquireTimedOut, .statementTimedOut, .cancelled, .closed:
            self = .unavailable(error)
        case .server, .decoding, .misuse, .configuration:
            self = error.isTransient ? .unavailable(error) : .database(error)
        }
    }
}
