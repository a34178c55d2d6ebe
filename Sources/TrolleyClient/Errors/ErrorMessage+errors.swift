import TrolleyJournal
public import TrolleySync
import TrolleyWire

// The sentences of all errors.

extension DeviceError {
    /// The error as a sentence, which an app can translate.
    public var message: ErrorMessage {
        switch self {
        case .store(let error): error.message
        case .transport(let error): error.message
        case .notSignedIn: ErrorMessage(.notSignedIn)
        case .signedIn(let email): ErrorMessage(.signedIn, ["email": email])
        case .notAnAddress: ErrorMessage(.notAnAddress)
        case .insecureAddress(let server): ErrorMessage(.insecureAddress, ["server": server])
        case .unreadableCertificates(let file, let reason):
            ErrorMessage(.unreadableCertificates, ["file": file, "reason": reason])
        case .notCertificates(let file): ErrorMessage(.notCertificates, ["file": file])
        case .notAnEmailAddress(let text): ErrorMessage(.notAnEmailAddress, ["text": text])
        case .notAnInvitation: ErrorMessage(.notAnInvitation)
        case .invitationOfAnotherService(let server): ErrorMessage(.invitationOfAnotherService, ["server": server])
        case .unusableText(let reason): ErrorMessage(.unusableText, ["reason": reason])
        case .readOnly: ErrorMessage(.readOnly)
        case .ownerCannotLeave: ErrorMessage(.ownerCannotLeave)
        case .onlyOwnerDeletes: ErrorMessage(.onlyOwnerDeletes)
        case .onlyOwnerShares: ErrorMessage(.onlyOwnerShares)
        case .notInStep(let failure): ErrorMessage(.notInStep, cause: failure.message)
        case .notPublished(let failure): ErrorMessage(.notPublished, cause: failure?.message)
        case .noStateThen(isOffline: false): ErrorMessage(.noStateThen)
        case .noStateThen(isOffline: true): ErrorMessage(.noStateThen, key: "noStateThen.offline")
        case .noSuchChange(let number, let last):
            ErrorMessage(.noSuchChange, ["number": number.description, "last": last.description])
        case .tripIsOver(let end, let items):
            ErrorMessage(.tripIsOver, ["end": end.description, "items": items.description])
        }
    }
}

extension SyncFailure {
    /// The failure as a sentence, which an app can translate: its meaning for the waiting changes.
    public var message: ErrorMessage {
        switch self {
        case .notSignedIn: ErrorMessage(.notSignedIn)
        case .tooEarly(let time): ErrorMessage(.tooEarly, ["time": time.description])
        case .alreadyRunning: ErrorMessage(.alreadyRunning)
        case .stopped: ErrorMessage(.stopped)
        case .transport(.problem(let problem)) where !problem.showsSignOut:
            ErrorMessage.english["sync.\(problem.code.rawValue)"] == nil
                ? ErrorMessage(ErrorCode(problem.code), detail: problem.detail)
                : ErrorMessage(ErrorCode(problem.code), key: "sync.\(problem.code.rawValue)")
        case .transport(let error): error.message
        case .store(let error): error.message
        }
    }
}

extension TransportError {
    /// The error as a sentence, which an app can translate.
    public var message: ErrorMessage {
        switch self {
        case .unreachable(let reason): ErrorMessage(.unreachable, ["reason": reason])
        case .problem(let problem) where problem.showsSignOut: ErrorMessage(ErrorCode(problem.code), key: "signedOut")
        case .problem(let problem): ErrorMessage(ErrorCode(problem.code), detail: problem.detail)
        case .notUnderstood(let reason): ErrorMessage(.notUnderstood, ["reason": reason])
        }
    }
}

extension QueueStoreError {
    /// The error as a sentence, which an app can translate.
    public var message: ErrorMessage {
        switch self {
        case .noSuchList(let list): ErrorMessage(.noSuchList, ["list": list.description])
        case .unreadable(let reason): ErrorMessage(.unreadableFiles, ["reason": reason])
        case .busy: ErrorMessage(.busyFiles)
        case .failed(let reason): ErrorMessage(.unusableFiles, ["reason": reason])
        }
    }
}

extension SyncErrorPeriod {
    /// The cause as a sentence, which an app can translate.
    public var message: ErrorMessage {
        let key = "sync.\(code)"
        return ErrorMessage(
            ErrorCode(rawValue: code), key: ErrorMessage.english[key] == nil ? code : key, detail: sentence)
    }
}
