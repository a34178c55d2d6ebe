import Hummingbird
import Logging
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Service {
    func addEntryRoutes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/entries") { request, context -> Response in
            let list = try context.list()
            let session = try context.session
            let bytes = try await request.body(upTo: limits)
            let body = try UploadBody(json: bytes.readableBytesView, limits: limits)
            return try .json(try await upload(body, to: list, by: session, logger: context.logger))
        }
    }

    /// Appends to a list's journal, for whichever device, and tells the others.
    func upload(
        _ body: UploadBody, to list: ListID, by session: Session, logger: Logger? = nil
    ) async throws(StoreError) -> UploadResponse {
        let appended = try await traced("append") { () async throws(StoreError) in
            try await store.append(
                body, to: list, by: session, ageCap: limits.ageCap, quota: configuration.quotas.entriesPerList)
        }
        metrics.note(appended.results)
        logger?.debug("appended", metadata: ["list": "\(list)", "verdicts": "\(appended.results.verdicts)"])
        if appended.results.contains(where: { $0.status == .applied }) {
            hub.appended(
                to: list, from: appended.previous, to: appended.head, by: session.device, people: appended.people)
        }
        let token = ChangeToken(list: list, epoch: appended.epoch, sequence: appended.head, mark: appended.mark)
        return UploadResponse(results: appended.results, token: token.text(key: tokenKey))
    }
}

extension [UploadResult] {
    /// How many of each: `applied 3, rejected limitExceeded 1`.
    fileprivate var verdicts: String {
        Dictionary(grouping: self) {
            [$0.status.rawValue, $0.code?.rawValue].compactMap(\.self).joined(separator: " ")
        }
        .map { "\($0.key) \($0.value.count)" }.sorted().joined(separator: ", ")
    }
}
