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

extension TransportError {
    /// Whether the service can't answer now: no answer came in time, or the service or a proxy in front of it answered
    /// that it is down, overloaded, or has failed. A device then answers from its own data if it can.
    public var isUnreachable: Bool {
        switch self {
        case .unreachable: true
        case .problem(let problem):
            [.serviceUnavailable, .zoneBusy, .requestRateLimited, .internalError].contains(problem.code)
        case .notUnderstood: false
        }
    }
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
