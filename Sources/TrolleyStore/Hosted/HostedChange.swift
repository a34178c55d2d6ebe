import Crypto
public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

/// One change to a list that an integration asks for.
public struct HostedChange: Hashable, Sendable {
    /// `add`, `edit`, `markOff`, `unmark` or `delete`.
    public var operation: Operation
    /// The item, unless it is added.
    public var target: Target?
    /// What is written, for `add` and `edit`.
    public var fields: Fields
    /// The entry's id, when the caller names it.
    public var entry: EntryID?
    /// Names the request: asked for again with the same key, it gets the first answer.
    public var key: String?

    /// Which item is meant.
    public enum Target: Hashable, Sendable {
        case item(ItemID)
        case text(String)
    }

    public init(operation: Operation, target: Target?, fields: Fields, entry: EntryID? = nil, key: String? = nil) {
        self.operation = operation
        self.target = target
        self.fields = fields
        self.entry = entry
        self.key = key
    }

    /// What the request is known by, if by anything: SHA-256 of it. A key is the device's; an entry's id is its list's.
    func keyHash(on list: ListID) -> [UInt8]? {
        let name = key.map { "key \($0)" } ?? entry.map { "entry \(list) \($0)" }
        return name.map { Array(SHA256.hash(data: Array($0.utf8))) }
    }

    /// Tells two requests apart: SHA-256 of all that is asked for.
    func fingerprint(on list: ListID) -> [UInt8] {
        var writer = JSONWriter()
        writer.array { writer in
            writer.identifier(list)
            writer.string(operation.rawValue)
            switch target {
            case .item(let id): writer.identifier(id)
            case .text(let text): writer.string(text)
            case nil: writer.null()
            }
            fields.write(to: &writer)
            if let entry { writer.identifier(entry) } else { writer.null() }
        }
        return Array(SHA256.hash(data: writer.bytes))
    }
}

/// What came of a change: it is in the list and in the upload queue.
public struct HostedChanged: Sendable {
    public var list: ListID
    public var entry: EntryID
    /// The item as it is now, or as it was when it was deleted.
    public var item: Item
    /// Whether it was asked for before, and this is the first answer again.
    public var isDuplicate = false
    /// Entries in the device's upload queue, over all lists.
    public var waiting = 0
    /// What became of it at the service; nil when it was not sent in the same transaction.
    public var appended: Appended?
}

/// By what rules the service takes a change in the transaction that queues it, as it takes anybody's.
public struct HostedSending: Sendable {
    public var limits: Limits
    public var quotas: Quotas
    /// The token that stands for all changes up to and including an upload's.
    public var token: @Sendable (ListID, Appended) -> String

    public init(limits: Limits, quotas: Quotas, token: @escaping @Sendable (ListID, Appended) -> String) {
        self.limits = limits
        self.quotas = quotas
        self.token = token
    }
}

/// Why a change was not made. Nothing was stored.
public enum HostedChangeError: Error, Hashable, Sendable {
    case store(QueueStoreError)
    /// No such list on the device.
    case noSuchList
    /// Several lists have the name, or none was named and there are several.
    case whichList([Problem.Candidate])
    case noSuchItem
    /// Several items fit the text.
    case whichItem([Problem.Candidate])
    /// The device's account may only read the list.
    case readOnly
    /// The key was used for another request.
    case keyTaken
    /// The account has less memory than the list takes while it is folded.
    case tooLong
}
