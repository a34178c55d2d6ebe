import TrolleyJournal
import TrolleyWire

/// Decides which sessions on a list have ended, and what the others are told of them.
///
/// A session is a person's changes from the first one that no summary covers. It ends when the person leaves the list,
/// when their presence expires, or after two minutes without a change, whichever is first. People who read the changes
/// meanwhile get no summary. Only the read mark says what they have read, never their presence (decision 1710).
struct SummaryPlan {
    /// Milliseconds without a change after which a session ends.
    static let silence: Int64 = 120_000
    /// While others have the list open, the end of a session waits for that many milliseconds, so that their devices
    /// can move the read mark past the last change.
    static let grace: Int64 = 1000

    /// A person's changes that no summary covers yet.
    struct Session: Hashable {
        var account: AccountID
        var first: SequenceNumber
        var lastChangeAt: Timestamp
        var last: SequenceNumber
    }

    /// A person on the list.
    struct Person: Hashable {
        var account: AccountID
        var joinedAt: Timestamp
        var level: NotificationLevel
        var notified: SequenceNumber?
        var read: SequenceNumber?
        /// Until when the person has the list open, or had it open lately.
        var presentUntil: Timestamp?
        /// The person got an alert of the others' changes up to here.
        var alerted: SequenceNumber?
    }

    /// A change of the list.
    struct Change: Hashable {
        var sequence: SequenceNumber
        var receivedAt: Timestamp
        var author: AccountID
        var operation: Operation
        var item: ItemID?
        /// The message that the change writes or deletes.
        var message: EntryID?
    }

    /// A summary for one person.
    struct Summary: Hashable {
        var recipient: AccountID
        var after: SequenceNumber
        var people: [SummarizedPerson]
        /// Whether alerts have told everything in the summary. Then browsers get no notice of it.
        var isKnown = false
    }

    let ended: [Session]
    /// When to look again; nil if no session is open.
    let nextLook: Timestamp?
    /// Changes up to here belong to no open session.
    let summarizedThrough: SequenceNumber
    /// The earliest time of the next alerts; nil: nobody gets alerts.
    let alertsFrom: Timestamp?
    let now: Timestamp
    private let recipients: [Person]
    /// People who want to be told of each change, and to whom others' open sessions may have something to tell.
    let alertCandidates: [Person]
    private let beforeSessions: SequenceNumber

    /// - Parameters:
    ///   - alertsFrom: the earliest time of the next alerts, as it was planned; nil: none were planned.
    ///   - hasAlerts: whether anybody gets alerts. If not, appends need not plan any.
    init(
        sessions: [Session], people: [Person], head: SequenceNumber, now: Timestamp, alertsFrom: Timestamp? = nil,
        hasAlerts: Bool = true
    ) {
        func end(of session: Session) -> Timestamp {
            var end = session.lastChangeAt.advanced(byMilliseconds: Self.silence)
            let until = people.first { $0.account == session.account }?.presentUntil
            if let until, until >= session.lastChangeAt { end = min(end, until) }
            let othersRead = people.contains { person in
                person.account != session.account && person.presentUntil.map { $0 > now } == true
                    && person.read ?? .start < session.last
            }
            return othersRead ? end.advanced(byMilliseconds: Self.grace) : end
        }
        let ended = sessions.filter { end(of: $0) <= now }
        let open = sessions.filter { end(of: $0) > now }
        self.ended = ended
        nextLook = open.map(end).min()
        summarizedThrough = open.map(\.first).min().map { $0.advanced(by: -1) } ?? head
        // Nobody is told of their own session alone.
        let recipients = people.filter { person in
            person.level != .nothing && ended.contains { $0.account != person.account }
        }
        self.recipients = recipients
        self.alertsFrom = hasAlerts ? alertsFrom ?? now : nil
        self.now = now
        alertCandidates = people.filter { person in
            hasAlerts && person.level == .all
                && open.contains { session in
                    let known = [person.read, person.notified, person.alerted].compactMap(\.self).max()
                    return session.account != person.account && session.last > known ?? .start
                }
        }
        beforeSessions = (ended.isEmpty ? open : ended).map(\.first).min().map { $0.advanced(by: -1) } ?? .start
    }

    /// The summaries and alerts need the changes after this sequence; nil if there is nobody to tell.
    var changesAfter: SequenceNumber? { (recipients + alertCandidates).map(windowStart).min() }

    /// - Parameter changes: the changes after `changesAfter`, in the order of the list's stream.
    func summaries(of changes: [Change]) -> [Summary] {
        let news = Self.news(of: changes)
        return recipients.compactMap { person in
            let start = windowStart(person)
            let people = tally(news, after: start, for: person)
            if people.isEmpty { return nil }
            var summary = Summary(recipient: person.account, after: start, people: people)
            if person.level == .all, let alerted = person.alerted, alerted > start {
                summary.isKnown = tally(news, after: alerted, for: person).isEmpty
            }
            return summary
        }
    }

    /// What is told of changes: without messages that are gone again, no matter who deleted them.
    static func news(of changes: [Change]) -> [Change] {
        let deleted = Set(changes.lazy.filter { $0.operation == .deleteMessage }.compactMap(\.message))
        return changes.filter { $0.operation != .message || $0.message.map(deleted.contains) != true }
    }

    /// The changes that others made after a sequence and after the person joined. Empty if none is left.
    func tally(_ news: [Change], after start: SequenceNumber, for person: Person) -> [SummarizedPerson] {
        var tallies: [AccountID: ChangeTally] = [:]
        for change in news where change.isToTell(person, after: start) {
            tallies[change.author, default: ChangeTally()].count(change.operation, of: change.item)
        }
        return tallies.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
            .map { SummarizedPerson(account: $0.key, $0.value) }
    }

    /// What came before was read, or is in an earlier summary.
    func windowStart(_ person: Person) -> SequenceNumber {
        [person.read, person.notified].compactMap(\.self).max() ?? beforeSessions
    }
}

extension SummaryPlan.Change {
    func isToTell(_ person: SummaryPlan.Person, after start: SequenceNumber) -> Bool {
        sequence > start && author != person.account && receivedAt >= person.joinedAt
    }
}
