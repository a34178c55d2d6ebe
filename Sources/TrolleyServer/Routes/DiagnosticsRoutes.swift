import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Diagnostics of a person's own devices and lists.
struct DiagnosticsRoutes: Sendable {
    let store: Store
    let version: String

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/diagnostics") { request, context -> Response in
            let withContent = try request.uri.queryParameters.get("withContent").map { text in
                guard let withContent = Bool(text) else {
                    throw Problem(.invalidArguments, "withContent must be true or false")
                }
                return withContent
            }
            let diagnostics = try await store.diagnostics(
                of: .init(account: context.session.account), version: version, configuration: nil,
                withContent: withContent ?? false)
            return try .json(reservation: diagnostics.json, for: context.session.account, in: store)
        }
    }
}
