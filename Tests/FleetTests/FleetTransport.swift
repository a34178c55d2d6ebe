import FoundationEssentials
import HTTPTypes
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import TrolleyClient

/// A device's way to the service's handlers.
struct FleetTransport: Transport {
    let network: FleetNetwork
    let device: Int
    let account: AccountID
    let token: String?

    func config() async throws(TransportError) -> ConfigResponse { try decode(await send(.get, Path.config, nil)) }

    func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse {
        try decode(await send(.post, Path.lists, encode(request)))
    }

    func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse {
        let response: UploadResponse = try decode(await send(.post, Path.entries(list), request.json))
        network.inspect(response)
        return response
    }

    func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse {
        let answer = try await send(.post, Path.changes, encode(request))
        let response: AllChangesResponse
        do { response = try AllChangesResponse(json: answer) } catch { throw .notUnderstood(error.description) }
        network.inspect(response, to: request)
        return response
    }

    func deleteList(_ list: ListID) async throws(TransportError) { _ = try await send(.delete, Path.list(list), nil) }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]?
    ) async throws(TransportError) -> [UInt8] {
        let call = FleetCall(method: method, path: path, token: token, body: body)
        guard let answer = await network.call(call, by: account, device: device) else {
            throw .unreachable("as the test says")
        }
        guard (200..<300).contains(answer.status) else {
            throw HTTPTransport.refusal(status: answer.status, body: answer.body, retryAfter: answer.retryAfter)
        }
        return answer.body
    }

    private func encode(_ request: some Encodable) throws(TransportError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(request)) } catch { throw .notUnderstood("the request") }
    }

    private func decode<Response: Decodable>(_ body: [UInt8]) throws(TransportError) -> Response {
        do { return try JSONDecoder().decode(Response.self, from: Data(body)) } catch {
            throw .notUnderstood("\(error)")
        }
    }
}
