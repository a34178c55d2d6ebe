public import TrolleyJournal
public import TrolleyWire

/// The service's calls that the engine needs. Each call is tried once; the engine decides about retries.
public protocol Transport: Sendable {
    func config() async throws(TransportError) -> ConfigResponse
    /// Creates the list, or returns the existing one. Safe to repeat. The request never contains a share.
    func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse
    func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse
    /// Deletes a list of the account's own, for all.
    func deleteList(_ list: ListID) async throws(TransportError)
    func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse
}
