import Hummingbird
import TrolleyStore
import TrolleyWire

/// Fetching changes: of one list, and of all lists of a device.
struct ChangeRoutes: Sendable {
    let feed: ChangeFeed
    let store: Store
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/lists/:list/changes") { request, context -> Response in
            let query = request.uri.queryParameters
            let account = try context.session.account
            let (page, changes) = try await feed.page(
                of: context.list(), after: query.get("since"), limit: limits.pageLimit(text: query.get("limit")),
                for: account)
            return try .json(page, of: changes, for: account, in: store)
        }
        router.post("v1/changes") { request, context -> Response in
            let wanted = try await request.decode(AllChangesRequest.self, limits: limits)
            let session = try context.session
            let answer = try await feed.changes(wanted, for: session)
            return try .json(reservation: answer.json, for: session.account, in: store, insteadOf: answer.reservation)
        }
    }
}
