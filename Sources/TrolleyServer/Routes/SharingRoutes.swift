import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct SharingRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limiter: RateLimiter
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/lists/:list/share") { _, context -> Response in
            try .json(try await store.share(of: context.list(), for: context.session.account))
        }
        router.delete("v1/lists/:list/share") { _, context -> Response in
            try await store.stopSharing(context.list(), by: context.session.account)
            hub.somethingChanged()
            return .noContent
        }
        router.put("v1/lists/:list/owner") { request, context -> Response in
            let wanted = try await request.decode(OwnerRequest.self, limits: limits)
            try limiter.admitShareChange(by: context.session.account)
            let share = try await store.handOver(
                context.list(), to: wanted.account, by: context.session.account)
            hub.somethingChanged()
            return try .json(ShareResponse(share: share))
        }
        router.patch("v1/lists/:list/participants/:account") { request, context -> Response in
            let wanted = try await request.decode(PermissionRequest.self, limits: limits)
            try limiter.admitShareChange(by: context.session.account)
            let share = try await store.permit(
                wanted.permission, to: context.identifier("account", otherwise: .unknownItem), on: context.list(),
                by: context.session.account)
            hub.somethingChanged()
            return try .json(ShareResponse(share: share))
        }
        router.delete("v1/lists/:list/participants/:account") { _, context -> Response in
            try await store.removeParticipant(
                context.identifier("account", otherwise: .unknownItem), from: context.list(),
                by: context.session.account)
            hub.somethingChanged()
            return .noContent
        }
    }
}
