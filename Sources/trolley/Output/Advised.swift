import TrolleyClient
import TrolleySync

/// An error of the SDK with advice. The SDK's sentences name no command; the advice does.
protocol Advised {
    var message: ErrorMessage { get }
    /// The sentence of ``message`` in German.
    var german: String { get }
    /// The command to type; nil if no command helps.
    var advice: String? { get }
}

extension Advised {
    /// The error's sentence, without the advice.
    var statement: String { localized(message.description, de: german) }

    /// The error's sentence and the advice.
    var sentence: String { advice.map { "\(statement) \($0)" } ?? statement }
}

extension DeviceError: Advised {
    var advice: String? {
        switch self {
        case .notSignedIn:
            localized(
                "Sign in first: trolley sign-in URL --email EMAIL",
                de: "Melde dich zuerst an: trolley sign-in URL --email EMAIL")
        case .signedIn: localized("Sign out first: trolley sign-out", de: "Melde dich zuerst ab: trolley sign-out")
        case .insecureAddress:
            localized(
                "If it has none and you trust the network: --insecure",
                de: "Wenn es keine gibt und du dem Netz traust: --insecure")
        case .ownerCannotLeave:
            localized(
                "To delete it for everybody: trolley leave --delete",
                de: "Um sie für alle zu löschen: trolley leave --delete")
        case .onlyOwnerDeletes: localized("To leave it: trolley leave", de: "Um sie zu verlassen: trolley leave")
        case .notInStep(let failure): failure.advice
        case .tripIsOver:
            localized(
                "To want an item again: trolley unmark ITEM. To undo the mark all the same: trolley undo --anyway",
                de: """
                    Um etwas wieder zu brauchen: trolley unmark EINTRAG. Um es trotzdem rückgängig zu machen: trolley undo \
                    --anyway
                    """)
        case .notPublished(let failure):
            failure.map(\.advice) ?? localized("Try: trolley sync", de: "Versuche: trolley sync")
        case .noStateThen(isOffline: false), .noSuchChange:
            localized("See its changes: trolley activity", de: "Ihre Änderungen: trolley activity")
        case .noStateThen(isOffline: true):
            localized("See what it knows: trolley activity", de: "Was es weiß: trolley activity")
        case .transport(let error): error.advice
        default: nil
        }
    }
}

extension SyncFailure: Advised {
    var advice: String? {
        switch self {
        case .notSignedIn:
            localized(
                "Use 'trolley sign-in' or 'trolley sign-up'.",
                de: "Melde dich an (trolley sign-in) oder lege ein Konto an (trolley sign-up).")
        case .tooEarly: localized("To try now: trolley sync", de: "Um es jetzt zu versuchen: trolley sync")
        case .transport(let error): error.advice
        case .alreadyRunning, .stopped, .store: nil
        }
    }
}

extension TransportError {
    fileprivate var advice: String? {
        switch self {
        case .unreachable(let reason) where reason.contains("signed by an authority"):
            localized(
                "If the authority is your own, give its certificate: --ca-file FILE",
                de: "Wenn die Zertifizierungsstelle eure eigene ist, gib ihr Zertifikat an: --ca-file DATEI")
        default: nil
        }
    }
}
