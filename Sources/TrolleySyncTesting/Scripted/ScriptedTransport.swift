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
            let list = state.lists[request.id] ?? ListStream()
            state.lists[request.id] = list
            return ListResponse(
                id: request.id, role: .owner, permission: .readWrite, head: list.head, createdAt: state.now)
        }
    }

    func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse {
        try answer(.upload(request.entries.count)) { (state) throws(Problem) in
            guard var stream = state.lists[list] else { throw Problem(.listNotFound) }
            guard request.entries.count <= state.limits.entriesPerRequest else { throw Problem(.limitExceeded) }
            let results = request.entries.map { entry in
                stream.take(entry, by: account, on: device, at: state.now) { entry in
                    state.verdict(entry).map { ($0, "as the test says") }
                }
            }
            state.lists[list] = stream
            return UploadResponse(results: results, token: state.token(stream.changes.count))
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
    func token(_ through: Int) -> String { "\(epoch):\(through)" }

    func changes(_ request: AllChangesRequest) -> AllChangesResponse {
        var response = AllChangesResponse(lists: [])
        response.protocolVersion = protocolVersion
        var left = pageSize
        for (list, stream) in lists.sorted(by: { $0.key < $1.key }) {
            let changes = stream.live
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
