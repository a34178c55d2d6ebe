public import TrolleyWire

/// Why a call returned no usable answer.
public enum TransportError: Error, Hashable, Sendable {
    /// No answer came. The request may have arrived.
    case unreachable(String)
    /// The service refused the call.
    case problem(Problem)
    /// The answer was not one of a Trolley service.
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
