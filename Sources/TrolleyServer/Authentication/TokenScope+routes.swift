import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension TokenScope {
    /// What personal tokens are for: reading lists and changing them. Everything else needs a person's own session: the
    /// account, its devices and tokens, who is on a list, rooms, and what goes to other addresses. Task apps and assistants have
    /// paths of their own, which only such tokens open (``CalendarMiddleware``, ``AssistantMiddleware``).
    private static let reading: Set<String> = [
        "GET /v1/account", "GET /v1/lists", "GET /v1/lists/{list}/state", "GET /v1/lists/{list}/activity",
        "GET /v1/lists/{list}/replay", "GET /v1/lists/{list}/restoration", "GET /v1/lists/{list}/changes",
        "GET /v1/lists/{list}/messages", "GET /v1/lists/{list}/share", "GET /v1/events", "POST /v1/changes",
    ]
    private static let changing: Set<String> = [
        "POST /v1/lists/{list}/entries", "PUT /v1/lists/{list}/presence", "PUT /v1/lists/{list}/read",
    ]
    /// Calls that need all lists, because they make one or remove one.
    private static let changingLists: Set<String> = ["POST /v1/lists", "DELETE /v1/lists/{list}"]

    /// Checks that a personal token may make this call.
    /// - Throws: `Problem`: `permissionFailure`; `listNotFound` for a list that the token doesn't open.
    func admit(_ request: Request, _ context: TrolleyContext) throws(Problem) {
        let call = "\(request.method.rawValue) \(context.endpointPath ?? "")"
        let isReading = Self.reading.contains(call)
        guard isReading || Self.changing.contains(call) || Self.changingLists.contains(call) else {
            throw Problem(.permissionFailure, "a personal token can't do this; sign in with email and password")
        }
        if let list = context.parameters.get("list").flatMap({ ListID($0) }), let lists, !lists.contains(list) {
            throw Problem(.listNotFound)
        }
        if isReadOnly, !isReading { throw Problem(.permissionFailure, "this personal token may only read") }
        if lists != nil, Self.changingLists.contains(call) {
            throw Problem(
                .permissionFailure, "this personal token opens some lists; making and deleting them needs all")
        }
    }
}
