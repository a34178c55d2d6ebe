import Synchronization
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ScriptedTransport: Transport {
    let service: ScriptedService
    let account: AccountID
    let device: DeviceID

    func config() async throws(TransportError) -> ConfigResponse {
        try answer(.config) {
            ConfigResponse(version: "test", protocolVersion: ProtocolVersion.current, limits: $0.limits)
        }
    }

    func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse {
        try answer(.createList) { state in
            state.lists[request.id, default: []] += []
            let head = SequenceNumber(rawValue: Int64(state.lists[request.id]?.count ?? 0))
            return ListResponse(
                id: request.id, role: .owner, permission: .readWrite, head: head, createdAt: state.now)
        }
    }

    func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse {
        try answer(.upload(request.entries.count)) { (state) throws(Problem) in
            guard state.lists[list] != nil else { throw Problem(.listNotFound) }
            guard request.entries.count <= state.limits.entriesPerRequest else { throw Problem(.limitExceeded) }
            let results = request.entries.map { state.take($0, into: list, account: account, device: device) }
            return UploadResponse(results: results, token: state.token(state.lists[list]?.count ?? 0))
        }
    }

    func deleteList(_ list: ListID) async throws(TransportError) {
        try answer(.deleteList) { (state) throws(Problem) in
            guard state.lists.removeValue(forKey: list) != nil else { throw Problem(.listNotFound) }
        }
    }

    func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse {
        service.state.withLock { $0.fetches.append(request) }
        return try answer(.changes) { $0.changes(request) }
    }

    private func answer<Response: Sendable>(
        _ call: ScriptedService.Call, _ body: (inout ScriptedService.State) throws(Problem) -> Response
    ) throws(TransportError) -> Response {
        let result = service.state.withLock { state -> Result<Response, TransportError> in
            let fault = state.fault(call, state.calls.count)
            state.calls.append(call)
            switch fault {
            case .lostRequest: return .failure(.unreachable("the request was lost"))
            case .problem(let problem): return .failure(.problem(problem))
            case .lostResponse, nil: break
            }
            do throws(Problem) {
                let response = try body(&state)
                return fault == nil ? .success(response) : .failure(.unreachable("the answer was lost"))
            } catch {
                return .failure(.problem(error))
            }
        }
        return try result.get()
    }
}

extension ScriptedService.State {
    /// The list's stream as the service sends it: without discarded entries, and with the latest anchors of others.
    func live(_ list: ListID) -> [Change] {
        var discarded: Set<EntryID> = []
        var anchored: [EntryID: ItemID?] = [:]
        let changes = lists[list] ?? []
        for case .discard(let ids, let anchors) in changes.lazy.map(\.body) {
            discarded.formUnion(ids)
            anchored.merge(anchors) { $1 }
        }
        return changes.map { change in
            guard case .entry(var entry) = change.body else { return change }
            if discarded.contains(entry.entry.id) {
                return Change(sequence: change.sequence, body: .discard(ids: [], anchors: [:]))
            }
            if let anchor = anchored[entry.entry.id] { entry.entry.after = anchor }
            return Change(sequence: change.sequence, body: .entry(entry))
        }
    }

    func token(_ through: Int) -> String { "\(epoch):\(through)" }

    mutating func take(
        _ upload: UploadEntry, into list: ListID, account: AccountID, device: DeviceID
    ) -> UploadResult {
        let id = upload.entry.id
        let changes = lists[list] ?? []
        if let known = accepted[id] {
            guard known.entry == upload.entry else { return .rejected(id, .serverRecordChanged, "other content") }
            return .accepted(known, .duplicate)
        }
        if let code = verdict(upload.entry) { return .rejected(id, code, "as the test says") }
        let confirmed = ConfirmedEntry(
            entry: upload.entry, sequence: SequenceNumber(rawValue: Int64(changes.count + 1)), author: account,
            device: device, madeAt: now.advanced(byMilliseconds: -upload.age), receivedAt: now)
        accepted[id] = confirmed
        lists[list]?.append(Change(sequence: confirmed.sequence, body: .entry(confirmed)))
        return .accepted(confirmed, .applied)
    }

    func changes(_ request: AllChangesRequest) -> AllChangesResponse {
        var response = AllChangesResponse(lists: [])
        response.protocolVersion = protocolVersion
        var left = pageSize
        for list in lists.keys.sorted() {
            let changes = live(list)
            let token = request.tokens[list]
            let parts = token?.split(separator: ":").compactMap { Int($0) } ?? [epoch, 0]
            guard parts[0] == epoch else {
                response.expired.append(list)
                continue
            }
            let page = changes.dropFirst(parts[1]).prefix(left)
            guard !page.isEmpty || token == nil else { continue }
            left -= page.count
            let through = parts[1] + page.count
            response.lists.append(
                AllChangesResponse.List(
                    id: list,
                    page: ChangesPage(
                        changes: Array(page), token: self.token(through), moreComing: through < changes.count,
                        snapshot: token == nil)))
            if through < changes.count { response.moreComing = true }
        }
        for list in request.tokens.keys { if let reason = gone[list] { response.gone[list] = reason } }
        return response
    }
}
