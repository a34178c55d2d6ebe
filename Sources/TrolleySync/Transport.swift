public import TrolleyJournal
public import TrolleyWire

/// The calls of the service's that the engine makes. One try each: it is the engine that tries again.
public protocol Transport: Sendable {
    func config() async throws(TransportError) -> ConfigResponse
    /// Makes the list, or finds it made: safe to repeat. The request never has a share.
    func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse
    func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse
    func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse
}
