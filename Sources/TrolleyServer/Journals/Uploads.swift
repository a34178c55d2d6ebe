import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Appends to journals, and notifies the devices that follow them.
struct Uploads: Sendable {
    let store: Store
    let hub: EventHub
    let metrics: ServiceMetrics
    let tokenKey: ChangeToken.Key
    let receiptKey: ReceiptKey
    let limits: Limits
    let quotas: Quotas

    /// Appends to a list's journal for any kind of device, and notifies the other devices.
    /// - Parameters:
    ///   - quiet: the registrations that get no message of this upload.
    ///   - plannedAt: as in `Store.append`.
    func append(
        _ body: UploadBody, to list: ListID, by session: Session, quiet: PushDontNotify? = nil,
        plannedAt: SequenceNumber? = nil
    ) async throws(StoreError) -> UploadResponse {
        let body = body.keepingOrigins(confirmedIn: list, from: session.account, key: receiptKey)
        let hold = try await hold(quiet, on: list, by: session)
        let appended: Appended
        do throws(StoreError) {
            appended = try await traced("append") { () async throws(StoreError) in
                try await store.append(
                    body, to: list, by: session, ageCap: limits.ageCap, quotas: quotas, plannedAt: plannedAt)
            }
        } catch {
            await release(hold, from: .start, to: .start)
            throw error
        }
        await release(hold, from: appended.previous, to: appended.head)
        tell(of: appended, to: list, by: session)
        return UploadResponse(results: appended.results, token: token(for: appended, to: list))
    }

    private func hold(
        _ quiet: PushDontNotify?, on list: ListID, by session: Session
    ) async throws(StoreError) -> RegistrationHold? {
        guard let quiet else { return nil }
        return try await store.hold(
            registrationsFor: list, isForAll: quiet.isForAll, named: quiet.registrations, by: session)
    }

    private func release(_ hold: RegistrationHold?, from previous: SequenceNumber, to head: SequenceNumber) async {
        guard let hold else { return }
        // If it fails, the hold ends by itself, and the change is told. The upload is committed, so it succeeds.
        do throws(StoreError) { try await store.release(hold, from: previous, to: head) } catch {}
    }

    /// Tells the people on a list what was appended to it.
    func tell(of appended: Appended, to list: ListID, by session: Session) {
        metrics.note(appended.results)
        guard appended.results.contains(where: { $0.status == .applied }) else { return }
        hub.appended(
            to: list, from: appended.previous, to: appended.head, by: session.device, people: appended.people)
    }

    /// The token that stands for all changes of a list up to and including an upload's.
    func token(for appended: Appended, to list: ListID) -> String {
        ChangeToken(list: list, epoch: appended.epoch, sequence: appended.head, mark: appended.mark)
            .text(key: tokenKey)
    }
}
