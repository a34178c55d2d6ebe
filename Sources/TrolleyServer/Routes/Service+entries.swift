import Hummingbird
import TrolleyStore
import TrolleyWire

extension Service {
    func addEntryRoutes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/entries") { request, context -> Response in
            let list = try context.list()
            let session = try context.session
            let bytes = try await request.body(upTo: limits)
            let body = try UploadBody(json: bytes.readableBytesView, limits: limits)
            let appended = try await store.append(body, to: list, by: session, ageCap: limits.ageCap)
            if appended.results.contains(where: { $0.status == .applied }) {
                hub.appended(to: list, from: appended.previous, to: appended.head, by: session.device)
            }
            let token = ChangeToken(list: list, epoch: appended.epoch, sequence: appended.head, mark: appended.mark)
            return try .json(UploadResponse(results: appended.results, token: token.text(key: tokenKey)))
        }
    }
}
