import TrolleyClient
import TrolleySync

/// An error of the SDK with advice. The SDK's sentences name no command; the advice does.
protocol Advised {
    var message: ErrorMessage { get }
    /// The command to type; nil if no command helps.
    var advice: String? { get }
}

extension Advised {
    /// The error's sentence and the advice.
    var sentence: String { advice.map { "\(message) \($0)" } ?? message.description }
}

extension DeviceError: Advised {
    var advice: String? {
        switch self {
        case .notSignedIn: "Sign in first: trolley sign-in URL --email EMAIL"
        case .signedIn: "Sign out first: trolley sign-out"
        case .insecureAddress: "If it has none and you trust the network: --insecure"
        case .ownerCannotLeave: "To delete it for everybody: trolley leave --delete"
        case .onlyOwnerDeletes: "To leave it: trolley leave"
        case .notInStep(let failure): failure.advice
        case .tripIsOver:
            "To want an item again: trolley unmark ITEM. To undo the mark all the same: trolley undo --anyway"
        case .notPublished(let failure): failure.map(\.advice) ?? "Try: trolley sync"
        case .noStateThen(isOffline: false), .noSuchChange: "See its changes: trolley activity"
        case .noStateThen(isOffline: true): "See what it knows: trolley activity"
        case .transport(let error): error.advice
        default: nil
        }
    }
}

extension SyncFailure: Advised {
    var advice: String? {
        switch self {
        case .notSignedIn: "Use 'trolley sign-in' or 'trolley sign-up'."
        case .tooEarly: "To try now: trolley sync"
        case .transport(let error): error.advice
        case .alreadyRunning, .stopped, .store: nil
        }
    }
}

extension TransportError {
    fileprivate var advice: String? {
        switch self {
        case .unreachable(let reason) where reason.contains("signed by an authority"):
            "If the authority is your own, give its certificate: --ca-file FILE"
        default: nil
        }
    }
}
