public import TrolleyJournal

/// Something that happened to a list.
public struct ActivityItem: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        /// As the device sent it, whatever compression has done since.
        case entry(ConfirmedEntry)
        /// Somebody came or went.
        case participant(ParticipantChange)
    }

    public var sequence: SequenceNumber
    /// When the service heard of it.
    public var at: Timestamp
    public var event: Event
    /// What the author of an entry is called; nil when the account is gone.
    public var authorName: String?
    /// What the item of an entry was called once the entry was there; nil for an entry of no item, and when that is no longer
    /// known.
    public var itemText: String?

    public init(
        sequence: SequenceNumber, at: Timestamp, event: Event, authorName: String?, itemText: String? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.event = event
        self.authorName = authorName
        self.itemText = itemText
    }

    /// Milliseconds between making an entry and the service hearing of it; nil for what came at once.
    public var madeEarlierBy: Int64? {
        guard case .entry(let entry) = event else { return nil }
        let delay = entry.receivedAt.milliseconds - entry.madeAt.milliseconds
        return delay >= 60_000 ? delay : nil
    }
}

/// `GET /v1/lists/{id}/activity`, newest first.
public struct ActivityPage: Hashable, Sendable {
    public var activity: [ActivityItem]
    /// What to ask for as `before` to get what is older; nil at the list's beginning.
    public var next: String?

    public init(activity: [ActivityItem], next: String?) {
        self.activity = activity
        self.next = next
    }
}
