import TrolleyClient
import TrolleyJournal
import TrolleySync

extension SyncProgress {
    /// The state of the sync in words.
    /// - Parameter trouble: the failure since the last success.
    func words(_ trouble: Device.OngoingFailure?, at now: Timestamp = .now()) -> String {
        guard case .waiting(let time, let queued) = self else {
            guard case .blocked(let failure, _) = self, let advice = failure.advice else { return description }
            return "\(description) \(advice)"
        }
        let again = "Trying again \(Moment(time: time, now: now).words)"
        let rest = queued == 0 ? "" : " \(queued) change\(queued == 1 ? "" : "s") to be sent."
        return "\(trouble?.words(at: now) ?? "Waiting"). \(again).\(rest)"
    }
}

extension Device.OngoingFailure {
    func words(at now: Timestamp = .now()) -> String {
        let since = Moment(time: since, now: now).since
        return code == "unreachable"
            ? "The service can't be reached since \(since)" : "The service is busy since \(since)"
    }
}
