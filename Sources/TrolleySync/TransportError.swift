public import TrolleyWire

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
