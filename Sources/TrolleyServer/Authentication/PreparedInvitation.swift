import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// A requested invitation, and its secret.
struct PreparedInvitation {
    let invitation: NewInvitation
    private let secret: Secret

    /// The default lifetime of a link. It is limited, because anybody who finds the link can use it.
    private static let lifetimeOfLinks = Age(days: 30).milliseconds
    /// How many people may use one link.
    private static let uses = 2...100
    private static let longest = Age(days: 3650).milliseconds

    /// - Throws: `invalidArguments`.
    init(_ request: InvitationRequest) throws(Problem) {
        let email: EmailAddress? = if let text = request.email { try EmailAddress(text) } else { nil }
        if let lifetime = request.expiresIn, !(1...Self.longest).contains(lifetime) {
            throw Problem(.invalidArguments, "expiresIn must be 1 to \(Self.longest) milliseconds")
        }
        if let uses = request.uses {
            guard email == nil else { throw Problem(.invalidArguments, "uses is for a link, and not for one address") }
            guard Self.uses.contains(uses) else {
                throw Problem(
                    .invalidArguments, "uses must be \(Self.uses.lowerBound) to \(Self.uses.upperBound)")
            }
        }
        if let text = request.secret {
            guard text.utf8.count == 43, Base64URL.decode(text)?.count == 32 else {
                throw Problem(.invalidArguments, "secret must be 32 random bytes in base64url, which is 43 characters")
            }
            secret = Secret(text: text)
        } else {
            secret = Secret()
        }
        invitation = NewInvitation(
            email: email, uses: request.uses, permission: request.permission ?? .readWrite, secretHash: secret.hash,
            expiresIn: request.expiresIn ?? (email == nil ? Self.lifetimeOfLinks : nil))
    }

    func response(for made: CreatedInvitation) -> InvitationResponse {
        InvitationResponse(
            id: made.id, secret: secret.text, email: made.email, permission: made.permission,
            expiresAt: made.expiresAt, uses: made.uses)
    }
}
