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

/// Why a call brought no answer that could be used.
public enum TransportError: Error, Hashable, Sendable {
    /// No answer came. Whether the request arrived is not known.
    case unreachable(String)
    /// The service said no.
    case problem(Problem)
    /// Something answered, but not as the service does.
    case notUnderstood(String)
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let what): "The service can't be reached: \(what)."
        case .problem(let problem): problem.description
        case .notUnderstood(let what):
            "The answer was not understood: \(what). Is this the address of a Trolley service?"
        }
    }
}
