import HTTPTypes
import Hummingbird
import TrolleyStore
import TrolleyWire

/// Refuses changes while the database's disk is full. Reads continue, and so does DELETE: removing a person and signing
/// out need almost no space, and must not wait.
struct WriteGuardMiddleware: RouterMiddleware {
    let disk: DiskMonitor

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        if disk.isFull, request.isChange { throw Problem(Outage.diskFull) }
        return try await next(request, context)
    }
}

extension Request {
    fileprivate var isChange: Bool {
        switch method {
        // Fetching changes and previewing an invitation have a body and change nothing. An assistant's tools know themselves
        // whether they change a list.
        case .post: ![Path.changes, Path.previewInvitation, Path.assistant].contains(uri.path)
        case .put, .patch, .proppatch, .mkcalendar, .mkcol: true
        default: false
        }
    }
}
