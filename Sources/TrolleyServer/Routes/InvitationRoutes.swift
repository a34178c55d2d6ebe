import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct InvitationRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limiter: RateLimiter
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/invitations") { request, context -> Response in
            let wanted = try PreparedInvitation(try await request.decode(InvitationRequest.self, limits: limits))
            try limiter.admitShareChange(by: context.session.account)
            let list = try context.list()
            let made = try await store.invite(
                wanted.invitation, to: list, by: context.session.account, limit: limits.participantsPerList)
            hub.changed(.list(list))
            return try .json(wanted.response(for: made), status: .created)
        }
        router.get("v1/lists/:list/invitations") { _, context -> Response in
            let invitations = try await store.invitations(to: context.list(), for: context.session.account)
            return try .json(InvitationsResponse(invitations: invitations))
        }
        router.delete("v1/lists/:list/invitations/:invitation") { _, context -> Response in
            let list = try context.list()
            try await store.withdraw(
                context.identifier("invitation", otherwise: .unknownItem), to: list, by: context.session.account)
            hub.changed(.list(list))
            return .noContent
        }
        router.post("v1/invitations/accept") { request, context -> Response in
            try .json(try await accept(request.secret(limits: limits), context))
        }
        router.post("v1/invitations/decline") { request, context -> Response in
            try await decline(request.secret(limits: limits), context)
            return .noContent
        }
        addDeprecated(to: router)
    }

    /// Whoever got a link may look at it before they have an account.
    /// - Parameter router: routes whose session is optional.
    func addLook(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/invitations/look") { request, context -> Response in
            try .json(try await preview(request.secret(limits: limits), context))
        }
    }

    // A secret in a path appears in the logs of every proxy on the way. Kept for devices that know only these calls.
    private func addDeprecated(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/invitations/:secret") { _, context -> Response in
            try .json(try await preview(context.secret(), context)).deprecated
        }
        router.post("v1/invitations/:secret/accept") { _, context -> Response in
            try .json(try await accept(context.secret(), context)).deprecated
        }
        router.post("v1/invitations/:secret/decline") { _, context -> Response in
            try await decline(context.secret(), context)
            return .noContent.deprecated
        }
    }

    private func preview(_ secret: Secret, _ context: TrolleyContext) async throws -> InvitationPreview {
        try await limitingGuesses(context) {
            try await store.previewInvitation(secretHash: secret.hash, for: context.signedIn?.account)
        }
    }

    private func accept(_ secret: Secret, _ context: TrolleyContext) async throws -> ListResponse {
        try limiter.admitShareChange(by: context.session.account)
        let list = try await limitingGuesses(context) {
            try await store.acceptInvitation(
                secretHash: secret.hash, by: context.session.account, limit: limits.participantsPerList)
        }
        hub.changed(.people(list.id), .account(try context.session.account))
        return list
    }

    private func decline(_ secret: Secret, _ context: TrolleyContext) async throws {
        let list = try await limitingGuesses(context) {
            try await store.declineInvitation(secretHash: secret.hash, by: context.session.account)
        }
        if let list { hub.changed(.list(list)) }
    }

    /// Counts the request as an attempt to guess a secret, unless the invitation exists.
    private func limitingGuesses<Value>(
        _ context: TrolleyContext, _ body: () async throws -> Value
    ) async throws -> Value {
        let attempt = try limiter.attempt(nil, from: context.client)
        let value = try await body()
        limiter.giveBack(attempt)
        return value
    }
}

extension Request {
    /// The secret in the body.
    fileprivate func secret(limits: Limits) async throws -> Secret {
        Secret(text: try await decode(SecretRequest.self, limits: limits).secret)
    }
}

extension TrolleyContext {
    /// The secret in the path.
    fileprivate func secret() throws -> Secret { Secret(text: try parameters.require("secret")) }
}

extension Response {
    /// Marks a call as deprecated (RFC 9745), since 22 November 2026.
    fileprivate var deprecated: Response {
        var response = self
        response.headers[.deprecation] = "@1795305600"
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let deprecation = HTTPField.Name("Deprecation") ?? .from
}
