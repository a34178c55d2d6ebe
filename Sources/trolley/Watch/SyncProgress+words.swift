import TrolleyClient
import TrolleyJournal
import TrolleySync

extension SyncProgress {
    /// The state of the sync in words.
    /// - Parameter trouble: the failure since the last success.
    func words(_ trouble: Device.OngoingFailure?, at now: Timestamp = .now()) -> String {
        guard case .waiting(let time, let queued) = self else {
            let said = localized(description, de: german)
            guard case .blocked(let failure, _) = self, let advice = failure.advice else { return said }
            return "\(said) \(advice)"
        }
        let due = Moment(time: time, now: now).words
        let again = localized("Trying again \(due)", de: "Nächster Versuch \(due)")
        let changes = Noun.change.counted(queued)
        let rest = queued == 0 ? "" : localized(" \(changes) to be sent.", de: " Noch zu senden: \(changes).")
        return "\(trouble?.words(at: now) ?? localized("Waiting", de: "Warten")). \(again).\(rest)"
    }
}

extension SyncProgress {
    private var german: String {
        switch self {
        case .idle: return "Alle Änderungen sind gesendet."
        case .queued(let count), .waiting(_, let count): return "Noch zu senden: \(Noun.change.counted(count))."
        case .sending(let done, let all): return "Sendet \(min(done + 1, all)) von \(all)."
        case .fetching: return "Schaut nach Neuem."
        case .blocked(let failure, let count):
            let rest = "Noch zu senden und bis dahin aufgehoben: \(Noun.change.counted(count))."
            return count > 0 ? "\(failure.german) \(rest)" : failure.german
        }
    }
}

extension Device.OngoingFailure {
    func words(at now: Timestamp = .now()) -> String {
        let since = Moment(time: since, now: now).since
        return code == "unreachable"
            ? localized(
                "The service can't be reached since \(since)", de: "Der Dienst ist nicht zu erreichen, seit \(since)")
            : localized("The service is busy since \(since)", de: "Der Dienst ist ausgelastet, seit \(since)")
    }
}
