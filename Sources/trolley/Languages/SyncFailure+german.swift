import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension SyncFailure {
    /// What the failure means for the waiting changes.
    var german: String {
        switch self {
        case .notSignedIn: "Auf diesem Gerät ist niemand angemeldet."
        case .tooEarly: "Für den nächsten Versuch ist es noch zu früh."
        case .alreadyRunning: "Ein anderes Programm gleicht dieses Gerät gerade ab."
        case .stopped: "Der Abgleich wurde vorher angehalten. Der nächste macht den Rest; nichts ist verloren."
        case .transport(.problem(let problem)) where problem.showsSignOut: problem.german
        case .transport(.problem(let problem)): problem.code.germanForSync ?? problem.german
        case .transport(let error): error.german
        case .store(let error): error.german
        }
    }
}

extension ProblemCode {
    /// What a refusal means for the person and their unsent changes; nil if the general sentence explains it.
    var germanForSync: String? {
        switch self {
        case .notAuthenticated:
            "Der Dienst kennt die Anmeldung dieses Geräts nicht mehr. Nichts ist verloren: Melde dich wieder an."
        case .incompatibleVersion:
            "Der Dienst und dieses Programm haben verschiedene Versionen. Aktualisiere, was älter ist. Nichts ist verloren."
        case .quotaExceeded:
            "Der Dienst hat für diese Liste keinen Platz mehr. Bis er ihn hat, bleiben deine Änderungen auf diesem Gerät."
        case .permissionFailure:
            "Du darfst diese Liste nur noch ansehen. Deine nicht gesendeten Änderungen bleiben gespeichert."
        case .requestRateLimited, .zoneBusy, .serviceUnavailable:
            "Der Dienst ist ausgelastet. Nichts ist verloren; der nächste Abgleich versucht es wieder."
        case .internalError:
            "Im Dienst ist ein Fehler aufgetreten. Nichts ist verloren; der nächste Abgleich versucht es wieder."
        case .batchRequestFailed, .partialFailure:
            "Einige Änderungen konnten noch nicht gesendet werden; der nächste Abgleich versucht es wieder."
        case .crossOriginRequest, .listNotFound, .unknownItem, .unknownRoute, .methodNotAllowed, .invalidArguments,
            .serverRecordChanged, .limitExceeded, .changeTokenExpired, .listDeleted, .tooManyParticipants,
            .alreadyShared:
            nil
        }
    }
}

extension SyncErrorPeriod {
    /// The cause. A code of a later version has only an English sentence.
    var germanSentence: String {
        if let code = ProblemCode(rawValue: code) { return code.germanForSync ?? code.german }
        return switch code {
        case ErrorCode.unreachable.rawValue: "Der Dienst war nicht zu erreichen."
        case ErrorCode.notUnderstood.rawValue: "Die Antwort war nicht die eines Dienstes von Trolley."
        default: sentence
        }
    }
}
