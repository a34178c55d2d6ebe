import TrolleyClient
import TrolleyJournal
import TrolleySync

extension SyncFailure {
    /// The failure as a sentence, with times in words and in the person's time zone.
    func words(at now: Timestamp = .now()) -> String {
        guard case .tooEarly(let time) = self else { return sentence }
        let due = Moment(time: time, now: now).words
        return localized(
            "The next try is due \(due); to try now: trolley sync",
            de: "Der nächste Versuch kommt \(due); um es jetzt zu versuchen: trolley sync")
    }
}
