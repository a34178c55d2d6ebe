import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Service {
    func addInvitationRoutes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/invitations") { request, context -> Response in
            let wanted = try InvitationToMake(try await request.decode(InvitationRequest.self, limits: limits))
            let made = try await store.invite(
                wanted.invitation, to: context.list(), by: context.session.account, limit: limits.participantsPerList)
            hub.somethingChanged()
            return try .json(wanted.response(for: made), status: .created)
        }
        router.get("v1/lists/:list/invitations") { _, context -> Response in
            let invitations = try await store.invitations(to: context.list(), for: context.session.account)
            return try .json(InvitationsResponse(invitations: invitations))
        }
        router.delete("v1/lists/:list/invitations/:invitation") { _, context -> Response in
            try await store.withdraw(
                context.identifier("invitation", otherwise: .unknownItem), to: context.list(),
                by: context.session.account)
            hub.somethingChanged()
            return .noContent
        }
        router.get("v1/invitations/:secret") { _, context -> Response in
            try await guessing(context) {
                try .json(
                    try await store.previewInvitation(secretHash: context.secretHash(), for: context.session.account))
            }
        }
        router.post("v1/invitations/:secret/accept") { _, context -> Response in
            let list = try await guessing(context) {
                try await store.acceptInvitation(
                    secretHash: context.secretHash(), by: context.session.account, limit: limits.participantsPerList)
            }
            hub.somethingChanged()
            return try .json(list)
        }
        router.post("v1/invitations/:secret/decline") { _, context -> Response in
            try await guessing(context) {
                try await store.declineInvitation(secretHash: context.secretHash(), by: context.session.account)
            }
            hub.somethingChanged()
            return .noContent
        }
    }
}

extension Service {
    /// Counts it as a guess, unless there is such an invitation.
    fileprivate func guessing<Value>(
        _ context: TrolleyContext, _ body: () async throws -> Value
    ) async throws -> Value {
        try limiter.attempt(nil, from: context.client)
        let value = try await body()
        limiter.succeeded(nil, from: context.client)
        return value
    }
}

extension TrolleyContext {
    /// Of the secret in the path.
    fileprivate func secretHash() throws -> [UInt8] { Secret(text: try parameters.require("secret")).hash }
}

/// An invitation as it was asked for, and the secret that opens it.
struct InvitationToMake {
    let invitation: NewInvitation
    private let secret: Secret

    /// How long a link works when nobody says: whoever finds it can use it.
    private static let lifetimeOfLinks = Age(days: 30).milliseconds
    private static let longest = Age(days: 3650).milliseconds

    /// - Throws: `invalidArguments`.
    init(_ request: InvitationRequest) throws(Problem) {
        let email: EmailAddress? = if let text = request.email { try EmailAddress(text) } else { nil }
        if let lifetime = request.expiresIn, !(1...Self.longest).contains(lifetime) {
            throw Problem(.invalidArguments, "expiresIn must be 1 to \(Self.longest) milliseconds")
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
            email: email, permission: request.permission ?? .readWrite, secretHash: secret.hash,
            expiresIn: request.expiresIn ?? (email == nil ? Self.lifetimeOfLinks : nil))
    }

    func response(for made: MadeInvitation) -> InvitationResponse {
        InvitationResponse(
            id: made.id, secret: secret.text, email: made.email, permission: made.permission,
            expiresAt: made.expiresAt)
    }
}
