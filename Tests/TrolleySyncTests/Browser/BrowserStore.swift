import Foundation
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// The store of the web app, in a browser: each call is carried over to a page.
struct BrowserStore: QueueStore {
    let page: BrowserPage

    /// - Parameter isNew: whether what the browser has stored is deleted first.
    init(in page: BrowserPage, isNew: Bool) async throws {
        self.page = page
        let _: Nothing = try await call("open") { $0.member("isNew", isNew) }
    }

    private struct Nothing: Decodable {}
    private struct Answer<Value: Decodable>: Decodable {
        var value: Value?
        var error: String?
    }

    private func call<Value: Decodable>(
        _ name: String, in list: ListID? = nil, _ writeMembers: (inout JSONWriter) -> Void = { _ in }
    ) async throws(QueueStoreError) -> Value {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("call", name)
            writer.member("list", ifAny: list)
            writeMembers(&writer)
        }
        let answer: Answer<Value>
        do {
            answer = try JSONDecoder().decode(Answer<Value>.self, from: try await page.answer(to: writer.take()))
        } catch {
            throw .failed("\(name): \(error)")
        }
        if let value = answer.value { return value }
        if let list, answer.error == "noSuchList" { throw .noSuchList(list) }
        throw .failed("\(name): \(answer.error ?? "no answer")")
    }

    // MARK: For the app

    func addList(_ list: ListID) async throws(QueueStoreError) {
        let _: Nothing = try await call("addList", in: list)
    }

    func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry] {
        let texts: [EntryText] = try await call("append", in: list) { writer in
            writer.member("entries", entries)
            writer.member("wall", made.wall)
        }
        return try texts.map { text throws(QueueStoreError) in try text.entry() }
    }

    func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal {
        struct Journal: Decodable {
            struct Pending: Decodable {
                var entry: EntryText
                var madeAt: Timestamp
            }
            var confirmed: [EntryText]
            var pending: [Pending]
        }
        let journal: Journal = try await call("journal", in: list)
        return ListJournal(
            confirmed: try journal.confirmed.map { text throws(QueueStoreError) in try text.confirmed() },
            pending: try journal.pending.map { pending throws(QueueStoreError) in
                PendingEntry(entry: try pending.entry.entry(), madeAt: pending.madeAt)
            })
    }

    func state(of list: ListID) async throws(QueueStoreError) -> ListState {
        struct State: Decodable {
            struct Item: Decodable {
                var id: ItemID
                var text: String
                var markedOff: Bool
            }
            var items: [Item]
        }
        let state: State = try await call("state", in: list)
        return ListState(
            items: state.items.map {
                Item(id: $0.id, markedOff: $0.markedOff, fields: [Fields.text: .string($0.text)])
            })
    }

    // MARK: Read by the engine

    func deviceStatus() async throws(QueueStoreError) -> DeviceStatus {
        struct Status: Decodable {
            struct List: Decodable {
                var id: ListID
                var isPublished: Bool
                var isLocal: Bool
                var isShopping: Bool
                var token: String?
                var waiting: Int
                var toApply: Int
            }
            var lists: [List]
            var retryState: StoredRetryState?
            var lacksOwnership: Bool
        }
        let status: Status = try await call("status")
        return DeviceStatus(
            lists: status.lists.map {
                DeviceStatus.List(
                    id: $0.id, isPublished: $0.isPublished, isLocal: $0.isLocal, token: $0.token, waiting: $0.waiting,
                    toApply: $0.toApply, isShopping: $0.isShopping)
            }, retryState: status.retryState?.value ?? RetryState(), lacksOwnership: status.lacksOwnership)
    }

    func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry] {
        struct Queued: Decodable {
            var entry: EntryText
            var wall: Timestamp
            var isOffered: Bool
            var isOwn: Bool
        }
        let queued: [Queued] = try await call("waiting", in: list) { $0.member("limit", limit) }
        // A browser stores the wall clock alone. The samples' other clock goes along with it.
        let beginning = Samples.time().wall.milliseconds
        return try queued.map { queued throws(QueueStoreError) in
            let (entry, origin) = try queued.entry.withOrigin()
            return QueuedEntry(
                entry: entry, made: Samples.time(queued.wall.milliseconds - beginning), isOffered: queued.isOffered,
                isOwn: queued.isOwn, origin: origin)
        }
    }

    func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry] {
        let texts: [EntryText] = try await call("toApply", in: list)
        return try texts.map { text throws(QueueStoreError) in try text.confirmed() }
    }

    func rejected() async throws(QueueStoreError) -> [RejectedEntry] {
        struct Rejected: Decodable {
            var list: ListID
            var listName: String?
            var entry: EntryText
            var code: ProblemCode
            var detail: String?
            var at: Timestamp
        }
        let rejected: [Rejected] = try await call("rejected")
        return try rejected.map { one throws(QueueStoreError) in
            RejectedEntry(
                list: one.list, listName: one.listName, entry: try one.entry.entry(), code: one.code,
                detail: one.detail, rejectedAt: one.at)
        }
    }

    func refusals() async throws(QueueStoreError) -> [PastFailure] {
        let refusals: [StoredFailure] = try await call("refusals")
        return refusals.map(\.value)
    }

    // MARK: Written by the engine

    func createListRequest(for list: ListID) async throws(QueueStoreError) -> CreateListRequest {
        try await call("createListRequest", in: list)
    }

    // A browser has no lists of its own alone, so none leaves the service.
    func noteDeleted(_ list: ListID) async throws(QueueStoreError) {}

    func notePublished(
        _ list: ListID, as answer: ListResponse?, at now: Timestamp
    ) async throws(QueueStoreError) {
        let answer = try answer.map { answer throws(QueueStoreError) in try json(answer) }
        let _: Nothing = try await call("notePublished", in: list) { writer in
            writer.key("answer")
            writer.raw(answer ?? "null")
            writer.member("now", now)
        }
    }

    func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError) {
        let _: Nothing = try await call("noteSending", in: list) { $0.member("entries", entries) }
    }

    func noteUploadEnded(_ end: UploadEnd, in list: ListID) async throws(QueueStoreError) {
        let _: Nothing = try await call("noteUploadEnded", in: list) { writer in
            writer.member("age", end.age)
            writer.member("now", end.now.wall)
            writer.member("latest", end.latest)
            writer.member("sent", end.sent.sorted())
        }
    }

    func settle(_ verdicts: [UploadVerdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError) {
        let _: Nothing = try await call("settle", in: list) { writer in
            writer.member("verdicts", verdicts) { verdict, writer in
                writer.member("entry", verdict.entry)
                switch verdict.outcome {
                case .accepted(let sequence):
                    writer.member("outcome", "accepted")
                    writer.member("sequence", sequence)
                case .known: writer.member("outcome", "known")
                case .rejected(let code, let detail):
                    writer.member("outcome", "rejected")
                    writer.member("code", code)
                    writer.member("detail", detail)
                }
            }
            writer.member("now", now)
        }
    }

    func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> FetchOutcome {
        let outcome: StoredOutcome = try await call("receive") { writer in
            writer.key("response")
            writer.raw(String(decoding: response.json, as: UTF8.self))
            writer.member("now", now)
        }
        return outcome.value
    }

    func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError) {
        let _: Nothing = try await call("apply", in: list) { $0.member("shopping", shopping) }
    }

    /// Signs in an account that succeeds the present one.
    func succeed() async throws(QueueStoreError) {
        let _: Nothing = try await call("succeed")
    }

    func saveRetryState(_ retryState: RetryState) async throws(QueueStoreError) {
        let _: Nothing = try await call("saveRetryState") { writer in
            writer.key("retryState")
            retryState.write(to: &writer)
        }
    }

    private func json(_ value: some Encodable) throws(QueueStoreError) -> String {
        do { return String(decoding: try JSONEncoder().encode(value), as: UTF8.self) } catch {
            throw .failed("\(error)")
        }
    }
}

private struct StoredRetryState: Decodable {
    let value: RetryState

    init(from decoder: any Decoder) throws { value = try decoder.json { RetryState($0) } }
}

private struct StoredOutcome: Decodable {
    let value: FetchOutcome

    init(from decoder: any Decoder) throws { value = try decoder.json { FetchOutcome($0) } }
}

private struct StoredFailure: Decodable {
    let value: PastFailure

    init(from decoder: any Decoder) throws { value = try decoder.json { PastFailure($0) } }
}

/// An entry as the page's `JSON.stringify` writes it.
private struct EntryText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func entry() throws(QueueStoreError) -> JournalEntry {
        try read { reader throws(WireError) in try JournalEntry(from: &reader) }
    }

    func withOrigin() throws(QueueStoreError) -> (entry: JournalEntry, origin: EntryOrigin?) {
        try read { reader throws(WireError) in try JournalEntry.withOrigin(from: &reader) }
    }

    func confirmed() throws(QueueStoreError) -> ConfirmedEntry {
        try read { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
    }

    private func read<Value>(
        _ body: (inout JSONReader) throws(WireError) -> Value
    ) throws(QueueStoreError) -> Value {
        do { return try JSONReader.read(Array(text.utf8), body) } catch { throw .failed("\(text): \(error)") }
    }
}
