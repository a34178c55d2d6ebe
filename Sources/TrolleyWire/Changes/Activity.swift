public import TrolleyJournal

/// An event in a list's Activity.
public struct ActivityItem: Hashable, Sendable {
    public enum Event: Hashable, Sendable {
        /// As the device sent it, even if compression has discarded it since.
        case entry(ConfirmedEntry)
        /// A change of the share.
        case participant(ParticipantChange)
    }

    public var sequence: SequenceNumber
    /// When the service received it.
    public var at: Timestamp
    public var event: Event
    /// The name of an entry's author; nil when the account is deleted.
    public var authorName: String?
    /// The text of the entry's item just after the entry; nil for an entry without an item, and when the text is no
    /// longer known.
    public var itemText: String?
    /// The name of the personal token whose program made the entry; nil for a device on which the person signed in.
    public var deviceName: String?

    public init(
        sequence: SequenceNumber, at: Timestamp, event: Event, authorName: String?, itemText: String? = nil,
        deviceName: String? = nil
    ) {
        self.sequence = sequence
        self.at = at
        self.event = event
        self.authorName = authorName
        self.itemText = itemText
        self.deviceName = deviceName
    }

    /// Milliseconds between making an entry and its arrival at the service; nil for an entry that was sent at once.
    public var uploadDelay: Int64? {
        guard case .entry(let entry) = event else { return nil }
        let delay = entry.receivedAt.milliseconds - entry.madeAt.milliseconds
        return delay >= 60_000 ? delay : nil
    }
}

/// `GET /v1/lists/{id}/activity`, newest first.
public struct ActivityPage: Hashable, Sendable {
    public var activity: [ActivityItem]
    /// The `before` of the next request, for older events; nil at the list's beginning.
    public var next: String?

    public init(activity: [ActivityItem], next: String?) {
        self.activity = activity
        self.next = next
    }
}
