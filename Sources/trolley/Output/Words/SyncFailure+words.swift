import TrolleyClient
import TrolleyJournal
import TrolleySync

extension SyncFailure {
    /// The failure as a sentence, with times in words and in the person's time zone.
    func words(at now: Timestamp = .now()) -> String {
        guard case .tooEarly(let time) = self else { return sentence }
        return "The next try is due \(Moment(time: time, now: now).words); to try now: trolley sync"
    }
}
