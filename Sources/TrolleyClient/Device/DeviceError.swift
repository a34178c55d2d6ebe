public import TrolleySync
public import TrolleyWire

/// Why a device could not carry out a call.
public enum DeviceError: Error, Hashable, Sendable {
    case store(QueueStoreError)
    case transport(TransportError)
    /// The call needs an account.
    case notSignedIn
    /// An account is signed in; its address.
    case signedIn(String)
    /// The text is not a service's address.
    case notAnAddress
    /// The file of certificates can't be read; its path, and the reason.
    case unreadableCertificates(String, String)
    /// The file of certificates contains none; its path.
    case notCertificates(String)
    /// The text is not an invitation's link.
    case notAnInvitation
    /// The invitation belongs to another service; that service's address.
    case invitationOfAnotherService(String)
    /// A list can't contain the text; the reason.
    case unusableText(String)
    /// The person may read the list but not change it.
    case readOnly
    /// The person owns the list; an owner can't leave it.
    case ownerCannotLeave
    /// Only the owner can delete the list.
    case onlyOwnerDeletes
    /// Only the owner can share the list.
    case onlyOwnerShares
    /// The list isn't in step with the service, which this needs.
    case notInStep(SyncFailure)
    /// The list could not be brought to the service, which this needs.
    case notPublished(SyncFailure?)
}

extension DeviceError {
    /// The service's code, when the service refused the call.
    public var code: ProblemCode? {
        if case .transport(.problem(let problem)) = self { problem.code } else { nil }
    }
}

extension DeviceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .store(let error): error.description
        case .transport(let error): error.description
        case .notSignedIn:
            "Nobody is signed in on this device. Sign in first: trolley sign-in URL --email EMAIL"
        case .signedIn(let email): "\(email) is signed in on this device. Sign out first: trolley sign-out"
        case .notAnAddress: "This is not the address of a service. It looks like http://localhost:8080"
        case .unreadableCertificates(let file, let why): "The certificates in \(file) can't be used: \(why)."
        case .notCertificates(let file): "\(file) holds no certificates in PEM."
        case .notAnInvitation: "This is not an invitation. It looks like http://localhost:8080/join#SECRET"
        case .invitationOfAnotherService(let server):
            "The invitation is for the service at \(server), and this device is signed in elsewhere."
        case .unusableText(let why): "The text can't be used: \(why)."
        case .ownerCannotLeave: "The list is your own. To delete it for everybody: trolley leave --delete"
        case .onlyOwnerDeletes: "Only its owner can delete the list. To leave it: trolley leave"
        case .onlyOwnerShares: "Only its owner can share the list. Ask them to invite more people."
        case .readOnly: "You may read this list but not change it. Ask its owner for permission."
        case .notInStep(let failure):
            "The list isn't in step with the service, so it was left as it is; try again. \(failure)"
        case .notPublished(let failure):
            "The list has not reached the service yet, so nobody can join it. \(failure?.description ?? "Try: trolley sync")"
        }
    }
}
