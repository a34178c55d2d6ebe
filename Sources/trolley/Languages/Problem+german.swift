import TrolleyClient
import TrolleyWire

extension Problem {
    var german: String {
        if showsSignOut {
            return """
                Dieses Gerät wurde von einem anderen aus abgemeldet, darum sind deine Listen nicht mehr hier. Sie kommen wieder, wenn \
                du dich anmeldest; was nicht gesendet wurde, wartet hier auf dich.
                """
        }
        return code.german(detail: detail)
    }
}

extension ProblemCode {
    /// - Parameter detail: the service's own sentence. It is English; so it is added only where it alone says what to change.
    func german(detail: String?) -> String {
        guard needsDetail, let detail else { return german }
        return "\(german) Der Dienst sagt dazu, auf Englisch: \(detail)"
    }

    private var needsDetail: Bool {
        switch self {
        case .permissionFailure, .unknownItem, .invalidArguments, .serverRecordChanged, .limitExceeded, .quotaExceeded:
            true
        case .notAuthenticated, .crossOriginRequest, .listNotFound, .unknownRoute, .methodNotAllowed,
            .requestRateLimited,
            .zoneBusy, .serviceUnavailable, .partialFailure, .batchRequestFailed, .changeTokenExpired, .listDeleted,
            .tooManyParticipants, .alreadyShared, .incompatibleVersion, .internalError:
            false
        }
    }

    /// The meaning of the code for a call.
    var german: String {
        switch self {
        case .notAuthenticated: "Melde dich zuerst an."
        case .permissionFailure: "Das darfst du nicht."
        case .crossOriginRequest: "Die Seite eines anderen Dienstes darf diese Anmeldung nicht benutzen."
        case .listNotFound: "So eine Liste gibt es für dich nicht."
        case .unknownItem: "So etwas gibt es nicht."
        case .unknownRoute: "Der Dienst kennt diesen Aufruf nicht. Vielleicht hat er eine andere Version."
        case .methodNotAllowed: "Der Dienst kennt diesen Aufruf so nicht. Vielleicht hat er eine andere Version."
        case .invalidArguments: "Das hat der Dienst nicht angenommen."
        case .serverRecordChanged: "Das gibt es schon."
        case .limitExceeded: "Das ist zu viel auf einmal."
        case .requestRateLimited: "Das waren zu viele Versuche. Warte etwas, bevor du es wieder versuchst."
        case .zoneBusy: "Bei dieser Liste ist gerade viel los. Versuche es gleich noch einmal."
        case .serviceUnavailable: "Der Dienst ist gerade nicht verfügbar. Versuche es gleich noch einmal."
        case .partialFailure: "Einige Änderungen wurden nicht angenommen."
        case .batchRequestFailed: "Eine andere Änderung desselben Schritts wurde abgelehnt."
        case .changeTokenExpired: "Dieser Stand der Liste ist zu alt: Sie wird neu geholt."
        case .listDeleted: "Die Liste gibt es nicht mehr."
        case .quotaExceeded: "Es ist kein Platz mehr."
        case .tooManyParticipants: "Auf der Liste ist kein Platz für noch mehr Leute."
        case .alreadyShared: "Die Liste wird schon geteilt."
        case .incompatibleVersion: "Der Dienst und dieses Programm haben verschiedene Versionen."
        case .internalError: "Im Dienst ist ein Fehler aufgetreten."
        }
    }
}

extension ErrorMessage {
    /// The sentence, where only the message is known and not its error.
    var words: String {
        localized(description, de: ProblemCode(rawValue: code.rawValue)?.german(detail: detail) ?? description)
    }
}
