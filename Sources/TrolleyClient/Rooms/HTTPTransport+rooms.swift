import NIOHTTP1
import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls about rooms. They are never retried automatically.

extension HTTPTransport {
    func enterPresence(on list: ListID, hailKey: String) async throws(TransportError) -> PresenceResponse {
        try await call(.PUT, Path.presence(list), PresenceRequest(present: true, hailKey: hailKey))
    }

    func hail(_ request: HailsRequest, on list: ListID) async throws(TransportError) -> HailsResponse {
        try await call(.POST, Path.hails(list), request)
    }

    func hails(on list: ListID) async throws(TransportError) -> [Hail] {
        let response: HailsList = try await call(.GET, Path.hails(list))
        return response.hails
    }

    func deleteHail(_ hail: HailID, on list: ListID) async throws(TransportError) {
        try await send(.DELETE, Path.hail(hail, on: list), nil)
    }
}
