import TrolleyJournal
import TrolleyWire

/// Alerts: people who want to be told of everything on a list (`all`) get a notice of messages and added items while the
/// session goes on. What else happens waits for the summary.
///
/// While a person has the list open, they get none, and it is decided when they leave: only the read mark says what they
/// have seen. So a lease that is still valid hides nothing (seed 000).
extension SummaryPlan {
    /// Milliseconds from a change to its alert, so that several changes made at once are one alert.
    static let alertDelay: Int64 = 1000
    /// Milliseconds between two alerts of a list.
    static let alertPause: Int64 = 10_000

    /// What people are told.
    struct Outcome: Hashable {
        var summaries: [Summary] = []
        var alerts: [Summary] = []
        /// When to look again for alerts.
        var nextAlert: Timestamp?

        var isEmpty: Bool { summaries.isEmpty && alerts.isEmpty }
    }

    /// The earliest time of alerts after those that are sent now.
    var nextAlerts: Timestamp { now.advanced(byMilliseconds: Self.alertPause) }

    /// - Parameter changes: the changes after `changesAfter`, in the order of the list's stream.
    func outcome(of changes: [Change]) -> Outcome {
        var outcome = Outcome(summaries: summaries(of: changes))
        let news = Self.news(of: changes)
        for person in alertCandidates where !outcome.summaries.contains(where: { $0.recipient == person.account }) {
            let start = windowStart(person)
            let told = max(start, person.alerted ?? .start)
            guard let first = news.first(where: { $0.isAlerting && $0.isToTell(person, after: told) }),
                tally(news, after: told, for: person).contains(where: \.isAlerting)
            else { continue }
            let due = max(
                first.receivedAt.advanced(byMilliseconds: Self.alertDelay), alertsFrom ?? now,
                person.presentUntil?.advanced(byMilliseconds: Self.grace) ?? now)
            if due <= now {
                // It takes the place of the earlier alerts, so it says what they said, too.
                outcome.alerts.append(
                    Summary(
                        recipient: person.account, after: start, people: tally(news, after: start, for: person)))
            } else {
                outcome.nextAlert = min(outcome.nextAlert ?? due, due)
            }
        }
        return outcome
    }
}

extension SummaryPlan.Change {
    /// Whether it is a message, or an item that somebody wants.
    fileprivate var isAlerting: Bool { operation == .message || operation == .add || operation == .unmark }
}

extension SummarizedPerson {
    /// Whether something remains of the messages and the wanted items.
    fileprivate var isAlerting: Bool { added + unmarked + messages > 0 }
}
