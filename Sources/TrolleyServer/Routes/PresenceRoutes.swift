import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct PresenceRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limits: Limits

    /// How long a device counts as present after its last report, in milliseconds, unless the report says otherwise. It
    /// reports again after half of that.
    private static let lease: Int64 = 60_000
    /// The leases that a device may ask for.
    private static let leases: ClosedRange<Int64> = 1000...600_000

    func add(to router: RouterGroup<TrolleyContext>) {
        router.put("v1/lists/:list/presence") { request, context -> Response in
            let wanted = try await request.decode(PresenceRequest.self, limits: limits)
            let list = try context.list()
            let lease = wanted.lease ?? Self.lease
            guard Self.leases.contains(lease) else {
                throw Problem(.invalidArguments, "lease must be \(Self.leases.lowerBound) to \(Self.leases.upperBound)")
            }
            let hailKey = try wanted.hailKey.map { text in
                guard let key = Base64URL.decode(text), key.count == 32 else {
                    throw Problem(.invalidArguments, "hailKey must be 32 bytes in base64url")
                }
                return key
            }
            let change = try await store.setPresence(
                of: context.session, on: list, for: wanted.present == false ? nil : lease, hailKey: hailKey)
            if change.isHastened { hub.changed(.work) }
            // No event for a mere renewal.
            if !change.toNotify.isEmpty {
                hub.presenceChanged(
                    on: list, present: change.presence.map(\.account), people: change.toNotify)
            }
            return try .json(
                PresenceResponse(
                    presence: change.presence, renewAfter: lease / 2,
                    devices: hailKey == nil ? nil : change.devices, now: hailKey == nil ? nil : change.now))
        }
        router.put("v1/lists/:list/read") { request, context -> Response in
            let wanted = try await request.decode(ReadPosition.self, limits: limits)
            guard wanted.through >= .start else { throw Problem(.invalidArguments, "through must not be negative") }
            let (list, session) = (try context.list(), try context.session)
            let through = try await store.markRead(list, through: wanted.through, by: session.account)
            hub.read(list, through: through, by: session)
            return try .json(ReadPosition(through: through))
        }
        router.patch("v1/lists/:list/place") { request, context -> Response in
            let wanted = try await request.decode(ChangePlaceRequest.self, limits: limits)
            if let rank = wanted.rank, !ListPlace.ranks.contains(rank) {
                throw Problem(
                    .invalidArguments,
                    "rank must be \(ListPlace.ranks.lowerBound) to \(ListPlace.ranks.upperBound)")
            }
            let (list, session) = (try context.list(), try context.session)
            let (place, count) = try await store.place(list, wanted, by: session.account)
            hub.placed(list, count: count, by: session)
            return try .json(place)
        }
    }
}
