public import TrolleySync
public import TrolleyWire

/// Why a device could not do what it was asked.
public enum DeviceError: Error, Hashable, Sendable {
    case store(QueueStoreError)
    case transport(TransportError)
    /// What was asked needs an account.
    case notSignedIn
    /// Somebody is signed in; their email.
    case signedIn(String)
    /// The text is no address of a service.
    case notAnAddress
    /// The file, which was to hold certificates, can't be read; its path, and why.
    case unreadableCertificates(String, String)
    /// The file, which was to hold certificates, holds none; its path.
    case notCertificates(String)
    /// The text is no invitation.
    case notAnInvitation
    /// The invitation is of another service: its address.
    case invitationOfAnotherService(String)
    /// The text can't be in a list, and why.
    case unusableText(String)
    /// The list is one that the person may only look at.
    case readOnly
    /// The list is the person's own, which nobody leaves.
    case theOwner
    /// The list is somebody else's to delete.
    case notTheOwner
    /// The list is somebody else's to share.
    case notTheSharer
    /// The list could not be brought to the service, which this needs.
    case notPublished(SyncFailure?)
}

extension DeviceError {
    /// The service's code, when it was the service that said no.
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
        case .theOwner: "The list is your own. To delete it for everybody: trolley leave --delete"
        case .notTheOwner: "Only its owner can delete the list. To leave it: trolley leave"
        case .notTheSharer: "Only its owner can share the list. Ask them to invite more people."
        case .readOnly: "You may look at this list and not change it. Ask its owner for more."
        case .notPublished(let failure):
            "The list has not reached the service yet, so nobody can join it. \(failure?.description ?? "Try: trolley sync")"
        }
    }
}
