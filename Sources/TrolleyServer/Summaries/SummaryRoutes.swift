import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Summaries of others' changes, and what a person wants to be told of a list.
struct SummaryRoutes: Sendable {
    let store: Store
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/summaries") { _, context -> Response in
            try .json(SummariesResponse(summaries: try await store.summaries(for: context.session.account)))
        }
        router.get("v1/lists/:list/notifications") { _, context -> Response in
            let level = try await store.notificationLevel(of: context.list(), for: context.session.account)
            return try .json(NotificationPreference(level: level))
        }
        router.put("v1/lists/:list/notifications") { request, context -> Response in
            let wanted = try await request.decode(NotificationPreference.self, limits: limits)
            try await store.setNotificationLevel(wanted.level, of: context.list(), for: context.session.account)
            return try .json(wanted)
        }
    }
}
