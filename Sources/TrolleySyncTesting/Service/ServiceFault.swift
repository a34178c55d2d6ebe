public import TrolleyWire

/// What goes wrong with a call to a service in memory.
public enum ServiceFault: Hashable, Sendable {
    /// The request never arrives.
    case lostRequest
    /// The request is carried out; the answer never arrives.
    case lostResponse
    case problem(Problem)
}
