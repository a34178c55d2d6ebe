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
            let list = try context.list()
            try await store.stopSharing(list, by: context.session.account)
            hub.changed(.people(list))
            return .noContent
        }
        router.put("v1/lists/:list/owner") { request, context -> Response in
            let wanted = try await request.decode(OwnerRequest.self, limits: limits)
            try limiter.admitShareChange(by: context.session.account)
            let list = try context.list()
            let share = try await store.handOver(list, to: wanted.account, by: context.session.account)
            hub.changed(.people(list))
            return try .json(ShareResponse(share: share))
        }
        router.patch("v1/lists/:list/participants/:account") { request, context -> Response in
            let wanted = try await request.decode(PermissionRequest.self, limits: limits)
            try limiter.admitShareChange(by: context.session.account)
            let list = try context.list()
            let share = try await store.permit(
                wanted.permission, to: context.identifier("account", otherwise: .unknownItem), on: list,
                by: context.session.account)
            hub.changed(.people(list))
            return try .json(ShareResponse(share: share))
        }
        router.delete("v1/lists/:list/participants/:account") { _, context -> Response in
            let (list, participant): (ListID, AccountID) = (
                try context.list(), try context.identifier("account", otherwise: .unknownItem)
            )
            try await store.removeParticipant(participant, from: list, by: context.session.account)
            hub.changed(.people(list), .account(participant))
            return .noContent
        }
    }
}
