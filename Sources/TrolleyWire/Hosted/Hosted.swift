public import TrolleyJournal

// Hosted devices: devices that the service runs for an integration.

/// `POST /v1/hosted`.
public struct HostedDeviceRequest: Hashable, Sendable, Codable {
    public var name: String
    /// The default list, for requests that name none.
    public var list: ListID?

    public init(name: String, list: ListID? = nil) {
        self.name = name
        self.list = list
    }
}

/// A hosted device.
public struct HostedDeviceResponse: Hashable, Sendable, Codable {
    public var id: DeviceID
    public var name: String
    public var list: ListID?
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp
    /// Gives access to this device only. It appears only in the answer that creates the device; the service stores a
    /// hash.
    public var token: String?

    public init(
        id: DeviceID, name: String, list: ListID?, createdAt: Timestamp, lastSeenAt: Timestamp, token: String? = nil
    ) {
        self.id = id
        self.name = name
        self.list = list
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.token = token
    }
}

/// `GET /v1/hosted`.
public struct HostedDevicesResponse: Hashable, Sendable, Codable {
    public var devices: [HostedDeviceResponse]

    public init(devices: [HostedDeviceResponse]) { self.devices = devices }
}

/// The body of `add`, `edit`, `off`, `unmark` and `delete`.
public struct HostedChangeRequest: Hashable, Sendable, Codable {
    /// The list, by id or name.
    public var list: String?
    /// The item, by id. Not for `add`.
    public var item: ItemID?
    /// For `add`, the new item's text; otherwise the item, by its text or a part of it.
    public var text: String?
    /// Further fields to write; null clears a field.
    public var fields: [String: String?]?
    /// The entry's id. Repeating it changes nothing.
    public var entry: EntryID?

    public init(
        list: String? = nil, item: ItemID? = nil, text: String? = nil, fields: [String: String?]? = nil,
        entry: EntryID? = nil
    ) {
        self.list = list
        self.item = item
        self.text = text
        self.fields = fields
        self.entry = entry
    }
}

/// The result of a change.
public struct HostedChangeResponse: Hashable, Sendable {
    public var list: ListID
    /// The first entry of the change; nil if nothing had to change: the item was already on the list, with these
    /// fields.
    public var entry: EntryID?
    public var item: Item
    /// Whether the request is a repetition; then this is the first answer again.
    public var isDuplicate: Bool
    /// The number of entries in the device's upload queue, over all lists. 0: the service has taken everything.
    public var waiting: Int

    public init(list: ListID, entry: EntryID?, item: Item, isDuplicate: Bool, waiting: Int) {
        self.list = list
        self.entry = entry
        self.item = item
        self.isDuplicate = isDuplicate
        self.waiting = waiting
    }

    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("list", list)
            writer.member("entry", entry)
            writer.member("item", item)
            writer.member("status", isDuplicate ? "duplicate" : entry == nil ? "present" : "made")
            writer.member("waiting", waiting)
        }
        return writer.bytes
    }
}

/// `GET /v1/hosted/{device}/list`.
public struct HostedState: Hashable, Sendable {
    public var id: ListID
    public var state: ListState
    /// The number of entries in the list's upload queue.
    public var waiting: Int
    /// The number of received entries that are not acknowledged. The state includes them.
    public var toApply: Int

    public init(id: ListID, state: ListState, waiting: Int, toApply: Int) {
        self.id = id
        self.state = state
        self.waiting = waiting
        self.toApply = toApply
    }

    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", id)
            state.writeMembers(to: &writer)
            writer.member("waiting", waiting)
            writer.member("toApply", toApply)
        }
        return writer.bytes
    }
}

/// `GET /v1/hosted/{device}/to-apply`.
public struct HostedToApply: Hashable, Sendable {
    public struct Element: Hashable, Sendable {
        public var list: ListID
        public var entry: ConfirmedEntry

        public init(list: ListID, entry: ConfirmedEntry) {
            self.list = list
            self.entry = entry
        }
    }

    public var entries: [Element]
    /// The total number of waiting entries.
    public var total: Int
    /// The account's summaries that this device has not acknowledged, newest first.
    public var summaries: [SessionSummary]

    public init(entries: [Element], total: Int, summaries: [SessionSummary] = []) {
        self.entries = entries
        self.total = total
        self.summaries = summaries
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 64 + 512 * entries.count)
        writer.object { writer in
            writer.member("entries", entries) { element, writer in
                writer.member("list", element.list)
                writer.member("entry", element.entry)
            }
            writer.member("toApply", total)
            if !summaries.isEmpty { writer.member("summaries", summaries) }
        }
        return writer.bytes
    }
}

/// `POST /v1/hosted/{device}/acknowledge`.
public struct HostedAcknowledgement: Hashable, Sendable, Codable {
    /// The ids of entries that the integration has handled. Ids that aren't in the queue are ignored.
    public var entries: [EntryID]
    /// The entries' list; nil: every list with an entry that has one of these ids.
    public var list: ListID?
    /// Summaries that the integration has handled, each with all earlier summaries of its list.
    public var summaries: [SummaryPosition]?

    public init(entries: [EntryID], list: ListID? = nil, summaries: [SummaryPosition]? = nil) {
        self.entries = entries
        self.list = list
        self.summaries = summaries
    }
}

/// The number of entries that an acknowledgement removed from the to-apply queue. Summaries don't count.
public struct HostedAcknowledged: Hashable, Sendable, Codable {
    public var acknowledged: Int

    public init(acknowledged: Int) { self.acknowledged = acknowledged }
}
