import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Appends to journals, and notifies the devices that follow them.
struct Uploads: Sendable {
    let store: Store
    let hub: EventHub
    let metrics: ServiceMetrics
    let tokenKey: ChangeToken.Key
    let limits: Limits
    let quotas: Quotas

    /// Appends to a list's journal for any kind of device, and notifies the other devices.
    func append(
        _ body: UploadBody, to list: ListID, by session: Session
    ) async throws(StoreError) -> UploadResponse {
        let appended = try await traced("append") { () async throws(StoreError) in
            try await store.append(body, to: list, by: session, ageCap: limits.ageCap, quotas: quotas)
        }
        metrics.note(appended.results)
        if appended.results.contains(where: { $0.status == .applied }) {
            hub.appended(
                to: list, from: appended.previous, to: appended.head, by: session.device, people: appended.people)
        }
        let token = ChangeToken(list: list, epoch: appended.epoch, sequence: appended.head, mark: appended.mark)
        return UploadResponse(results: appended.results, token: token.text(key: tokenKey))
    }
}
