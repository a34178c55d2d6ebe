public import TrolleyPostgres
public import TrolleyWire

/// Why the store did not do it. Nothing was stored.
public enum StoreError: Error, Sendable {
    case emailTaken
    /// The code doesn't show that the address is the person's: it is another address's, was used, or is too old.
    case wrongEmailCode
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
    /// The list is shared already, by other invitations than those that are to be made.
    case alreadyShared
    /// No such invitation, or not for this account, or used.
    case unknownInvitation
    /// The list has no such invitation that its owner could withdraw.
    case noSuchInvitation
    /// The secret of an invitation to be made opens something else.
    case secretTaken
    /// Who is on the list can't decline it.
    case alreadyOnList
    /// Nobody signs up here without an invitation, and this is none.
    case signUpNeedsInvitation
    case unknownParticipant
    case unknownDevice
    /// The account's password is another one than the one that was proven.
    case passwordChanged
    /// The owner can't leave.
    case ownerStays
    /// The owner may always change the list.
    case ownerMayAll
    case tooManyParticipants
    /// The account owns as many lists as it may.
    case tooManyLists
    /// The account is signed in on as many devices as it may, all used lately.
    case tooManyDevices
    /// The account has as many hosted devices as it may have.
    case tooManyHostedDevices
    /// Too many wait to change the list already; the same call may succeed later.
    case busy
    /// Too much is being read at once; the same call may succeed later.
    case overloaded
    /// What was asked for takes more memory than a request may have.
    case tooLong
    /// It may be on a node of the database that is away just now; the same call may succeed later.
    case notAllReached
    /// The database can't do it just now (``outage``); the same call may succeed later.
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
            // Nothing but the lists' locks is waited for with a limit.
            self =
                error.sqlState == .lockNotAvailable
                ? .busy : error.isTransient ? .unavailable(error) : .database(error)
        }
    }
}
