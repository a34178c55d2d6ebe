/// Why an attempt failed.
enum DeliveryFailure: Error, Hashable, CustomStringConvertible {
    /// The endpoint's host has a private address.
    case privateAddress
    /// The host has no address.
    case unresolvable
    case unreachable
    case timedOut
    /// The endpoint's address or the browser's key is invalid.
    case invalidEndpoint

    /// For the operator's log.
    var description: String {
        switch self {
        case .privateAddress: "privateAddress"
        case .unresolvable: "unresolvable"
        case .unreachable: "unreachable"
        case .timedOut: "timedOut"
        case .invalidEndpoint: "invalidEndpoint"
        }
    }

    /// For the account's diagnostics. They don't tell whether the service's network knows a name: it may be internal.
    var reason: String {
        switch self {
        case .privateAddress, .unresolvable: "noPublicAddress"
        case .unreachable, .timedOut, .invalidEndpoint: description
        }
    }

    /// Whether a later attempt can't succeed either. A private address is tried again like a name without an address:
    /// otherwise the number of attempts would tell them apart.
    var isPermanent: Bool { self == .invalidEndpoint }
}
