/// Why an attempt failed. The text is in the diagnostics.
enum DeliveryFailure: Error, Hashable, CustomStringConvertible {
    /// The endpoint's host has a private address.
    case privateAddress
    /// The host has no address.
    case unresolvable
    case unreachable
    case timedOut
    /// The endpoint's address or the browser's key is invalid.
    case invalidEndpoint

    var description: String {
        switch self {
        case .privateAddress: "privateAddress"
        case .unresolvable: "unresolvable"
        case .unreachable: "unreachable"
        case .timedOut: "timedOut"
        case .invalidEndpoint: "invalidEndpoint"
        }
    }

    /// Whether a later attempt can't succeed either.
    var isPermanent: Bool { self == .privateAddress || self == .invalidEndpoint }
}
