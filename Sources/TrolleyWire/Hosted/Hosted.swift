public import TrolleyJournal

// Devices that the service drives for an integration: what is asked and answered about them.

/// `POST /v1/hosted`.
public struct HostedDeviceRequest: Hashable, Sendable, Codable {
    public var name: String
    /// The list that is meant when a request names none.
    public var list: ListID?

    public init(name: String, list: ListID? = nil) {
        self.name = name
        self.list = list
    }
}

/// A device that the service drives.
public struct HostedDeviceResponse: Hashable, Sendable, Codable {
    public var id: DeviceID
    public var name: String
    public var list: ListID?
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp
    /// Opens this device and nothing else. Told once, when the device is made, and stored only as a hash.
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
    /// Which list, by id or name.
    public var list: String?
    /// Which item, by id. Not for `add`.
    public var item: ItemID?
    /// What is added; else which item, by its text or some of it.
    public var text: String?
    /// What is written besides; null clears.
    public var fields: [String: String?]?
    /// The entry's id. The same one again changes nothing.
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

/// What came of a change.
public struct HostedChangeResponse: Hashable, Sendable {
    public var list: ListID
    public var entry: EntryID
    public var item: Item
    /// Whether it was asked for before: then this is the first answer again.
    public var isDuplicate: Bool
    /// Entries in the device's upload queue, over all lists. 0: the service has taken everything.
    public var waiting: Int

    public init(list: ListID, entry: EntryID, item: Item, isDuplicate: Bool, waiting: Int) {
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
            writer.member("status", isDuplicate ? "duplicate" : "made")
            writer.member("waiting", waiting)
        }
        return writer.bytes
    }
}

/// `GET /v1/hosted/{device}/list`.
public struct HostedState: Hashable, Sendable {
    public var id: ListID
    public var state: ListState
    /// Entries in the list's upload queue.
    public var waiting: Int
    /// Entries that were received and are not acknowledged. The state has them.
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
    /// How many wait in all.
    public var total: Int

    public init(entries: [Element], total: Int) {
        self.entries = entries
        self.total = total
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 64 + 512 * entries.count)
        writer.object { writer in
            writer.member("entries", entries) { element, writer in
                writer.member("list", element.list)
                writer.member("entry", element.entry)
            }
            writer.member("toApply", total)
        }
        return writer.bytes
    }
}

/// `POST /v1/hosted/{device}/acknowledge`.
public struct HostedAcknowledgement: Hashable, Sendable, Codable {
    /// The ids of entries that were dealt with. One that isn't in the queue changes nothing.
    public var entries: [EntryID]
    /// Their list; nil: each list that has an entry with one of these ids.
    public var list: ListID?

    public init(entries: [EntryID], list: ListID? = nil) {
        self.entries = entries
        self.list = list
    }
}

/// What an acknowledgement took out of the to-apply queue.
public struct HostedAcknowledged: Hashable, Sendable, Codable {
    public var acknowledged: Int

    public init(acknowledged: Int) { self.acknowledged = acknowledged }
}

/// `GET /v1/hosted/{device}/queue`.
public struct HostedQueues: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        public var name: String?
        /// Entries that the service has not taken, in order.
        public var upload: [JournalEntry]
        /// Entries that were received and are not acknowledged, in order.
        public var toApply: [ConfirmedEntry]

        public init(id: ListID, name: String?, upload: [JournalEntry], toApply: [ConfirmedEntry]) {
            self.id = id
            self.name = name
            self.upload = upload
            self.toApply = toApply
        }
    }

    /// An entry that the service refused for good.
    public struct Rejected: Hashable, Sendable {
        public var list: ListID
        public var listName: String?
        public var entry: JournalEntry
        public var code: ProblemCode
        public var detail: String?
        public var at: Timestamp

        public init(
            list: ListID, listName: String?, entry: JournalEntry, code: ProblemCode, detail: String?, at: Timestamp
        ) {
            self.list = list
            self.listName = listName
            self.entry = entry
            self.code = code
            self.detail = detail
            self.at = at
        }
    }

    public var lists: [List]
    public var rejected: [Rejected]
    /// When the next try is due, after one that failed.
    public var nextTry: Timestamp?

    public init(lists: [List], rejected: [Rejected], nextTry: Timestamp?) {
        self.lists = lists
        self.rejected = rejected
        self.nextTry = nextTry
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.object { writer in
            writer.member("waiting", lists.reduce(0) { $0 + $1.upload.count })
            writer.member("nextTry", nextTry)
            writer.member("lists", lists)
            writer.member("rejected", rejected)
        }
        return writer.bytes
    }
}

extension HostedQueues.List: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("name", name)
            writer.key("upload")
            upload.writeQueue(to: &writer)
            writer.key("toApply")
            toApply.map { $0.entry }.writeQueue(to: &writer)
        }
    }
}

extension HostedQueues.Rejected: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("list", list)
            writer.member("name", listName)
            writer.member("code", code)
            writer.member("detail", detail ?? code.title)
            writer.member("at", at)
            writer.member("entry", entry)
        }
    }
}

extension [JournalEntry] {
    /// How many there are of each operation, in the operations' order.
    public var countsByOperation: [(operation: Operation, count: Int)] {
        Operation.allCases.compactMap { operation in
            let count = count { $0.operation == operation }
            return count > 0 ? (operation, count) : nil
        }
    }

    /// A queue: how many entries it has, how many of each operation, and the entries.
    public func writeQueue(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            writer.member("operations") { writer in
                for (operation, count) in countsByOperation {
                    writer.key(operation.rawValue)
                    writer.integer(Int64(count))
                }
            }
            writer.member("entries", self)
        }
    }
}
