package import TrolleyPostgres
package import TrolleyWire

/// Why the store refused a call. Nothing was stored.
package enum StoreError: Error, Sendable {
    case emailTaken
    /// The code doesn't verify the address: it was sent to another address, is used, or has expired.
    case wrongEmailCode
    /// The list doesn't exist, or the account is not on it. The caller must not learn which.
    case notOnList
    /// The account was on the list.
    case gone(ListGoneReason)
    /// The participant may read the list but not change it.
    case readOnly
    /// Only the owner may do this.
    case ownerOnly
    /// The list's id belongs to somebody else's list.
    case listIDTaken
    /// The list is shared already, by other invitations than the given ones.
    case alreadyShared
    /// There is no such invitation, it is for another account, or it is used.
    case unknownInvitation
    /// The list has no such invitation that the owner could withdraw.
    case noSuchInvitation
    /// The secret of the new invitation belongs to another invitation.
    case secretTaken
    /// Somebody who is on the list can't decline its invitation.
    case alreadyOnList
    /// Signing up needs an invitation, and the secret is none.
    case signUpNeedsInvitation
    /// The read mark is beyond the list's newest change.
    case readMarkOfTheFuture
    case unknownParticipant
    case unknownDevice
    /// The device was signed out. Its account exists.
    case signedOut
    /// The password was changed after it was verified.
    case passwordChanged
    /// The owner can't leave the list.
    case ownerCannotLeave
    /// The owner's permission can't be changed.
    case ownerHasFullPermission
    case tooManyParticipants
    /// The states of the list's share have reached the largest size (``RecordedShare/bytesPerList``).
    case tooManyShareChanges
    /// The account owns the largest number of lists already.
    case tooManyLists
    /// The account is signed in on the largest number of devices already, and all were used recently.
    case tooManyDevices
    /// The account has the largest number of hosted devices already.
    case tooManyHostedDevices
    /// The account has the largest number of webhooks already.
    case tooManyWebhooks
    /// The account has the largest number of push subscriptions already.
    case tooManySubscriptions
    case unknownWebhook
    /// The account has the largest number of personal tokens already.
    case tooManyPersonalTokens
    case unknownPersonalToken
    /// Too many changes wait for the list already. The same call may succeed later.
    case busy
    /// The device has appended to the list since its entries were planned. The same call may succeed when they are planned
    /// again.
    case overtaken
    /// Too many reads run or wait. The same call may succeed later.
    case overloaded
    /// The answer needs more memory than one account may use.
    case tooLong
    /// The list may be on a node of the database that is unreachable. The same call may succeed later.
    case notAllReached
    /// The database can't serve the call just now (``outage``). The same call may succeed later.
    case unavailable(PostgresError)
    /// The database refused a statement: a defect in this code.
    case database(PostgresError)

    /// Converts an error that a transaction threw: the store's, the database's, or a cancellation.
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
            // Nearly all waits are for the lists' locks.
            self =
                error.sqlState == .lockNotAvailable
                ? .busy : error.isTransient || error.isNodeAway ? .unavailable(error) : .database(error)
        }
    }
}

extension StoreError {
    /// Whether it is ``overtaken``.
    package var isOvertaken: Bool { if case .overtaken = self { true } else { false } }

    /// Whether the database's answer was lost: the change may be stored.
    package var leavesDoubt: Bool {
        guard case .unavailable(let error) = self else { return false }
        return switch error.kind {
        case .connectionLost, .statementTimedOut, .cancelled: true
        // The node may have gone just after its COMMIT.
        case .server: error.isNodeAway
        default: false
        }
    }
}
