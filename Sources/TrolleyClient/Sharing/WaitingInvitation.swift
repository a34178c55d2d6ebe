public import TrolleyJournal
import TrolleyWire

/// An invitation that the device has made and the service has not taken yet.
public struct WaitingInvitation: Hashable, Sendable {
    /// nil: a link that works once.
    public var email: String?
    public var permission: Permission
    /// Its link works as soon as the service has the invitation; nil while nobody is signed in. Anybody with the link can use
    /// the invitation: show it only to the invited person.
    public var link: String?
    /// Why the service refused the invitation; nil while it waits to be sent.
    public var refusal: ErrorMessage?

    init(_ stored: StoredInvitation.Content, server: String?) {
        email = stored.request.email
        permission = stored.request.permission ?? .readWrite
        if let server, let secret = stored.request.secret { link = Invitation.link(to: server, secret: secret) }
        refusal = stored.code.map { ErrorMessage(ErrorCode($0), detail: stored.detail) }
    }
}
