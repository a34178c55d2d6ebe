import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Service {
    func addSharingRoutes(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/lists/:list/share") { _, context -> Response in
            try .json(
                ShareResponse(share: try await store.share(of: context.list(), for: context.session.account)))
        }
        router.delete("v1/lists/:list/share") { _, context -> Response in
            try await store.stopSharing(context.list(), by: context.session.account)
            hub.somethingChanged()
            return .noContent
        }
        router.post("v1/lists/:list/invitations") { request, context -> Response in
            let wanted = try await request.decode(InvitationRequest.self, limits: limits)
            let secret = Secret()
            let email = try wanted.email.map { try EmailAddress($0) }
            let permission = wanted.permission ?? .readWrite
            try await store.invite(
                NewInvitation(email: email, permission: permission, secretHash: secret.hash),
                to: context.list(), by: context.session.account, limit: limits.participantsPerList)
            hub.somethingChanged()
            return try .json(
                InvitationResponse(secret: secret.text, email: email?.text, permission: permission, expiresAt: nil),
                status: .created)
        }
        router.delete("v1/lists/:list/participants/:account") { _, context -> Response in
            try await store.removeParticipant(
                context.identifier("account", otherwise: .unknownItem), from: context.list(),
                by: context.session.account)
            hub.somethingChanged()
            return .noContent
        }
        router.get("v1/invitations/:secret") { _, context -> Response in
            try limiter.attempt(nil, from: context.client)
            let preview = try await store.previewInvitation(
                secretHash: Secret(text: context.parameters.require("secret")).hash,
                for: context.session.account)
            limiter.succeeded(nil, from: context.client)
            return try .json(preview)
        }
        router.post("v1/invitations/:secret/accept") { _, context -> Response in
            try limiter.attempt(nil, from: context.client)
            let list = try await store.acceptInvitation(
                secretHash: Secret(text: context.parameters.require("secret")).hash,
                by: context.session.account, limit: limits.participantsPerList)
            limiter.succeeded(nil, from: context.client)
            hub.somethingChanged()
            return try .json(list)
        }
    }
}
