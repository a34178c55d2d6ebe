import Crypto
package import TrolleyJournal
package import TrolleySync
package import TrolleyWire

/// A change to a list that an integration requests.
package struct HostedChange: Hashable, Sendable {
    /// `add`, `edit`, `markOff`, `unmark` or `delete`.
    package var operation: Operation
    /// The item; nil for `add`.
    package var target: Target?
    /// The fields to write, for `add` and `edit`.
    package var fields: Fields
    /// The entry's id, if the caller sets it.
    package var entry: EntryID?
    /// The request's key. A repeated request with the same key gets the first answer.
    package var key: String?

    /// How the request names the item.
    package enum Target: Hashable, Sendable {
        case item(ItemID)
        case text(String)
    }

    package init(operation: Operation, target: Target?, fields: Fields, entry: EntryID? = nil, key: String? = nil) {
        self.operation = operation
        self.target = target
        self.fields = fields
        self.entry = entry
        self.key = key
    }

    /// The hash by which a repeated request is recognised (SHA-256); nil if it has neither key nor entry id. A key is
    /// unique on the device, an entry's id in its list.
    func keyHash(on list: ListID) -> [UInt8]? {
        let name = key.map { "key \($0)" } ?? entry.map { "entry \(list) \($0)" }
        return name.map { Array(SHA256.hash(data: Array($0.utf8))) }
    }

    /// Tells different requests apart: SHA-256 of all their parts.
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

/// The result of a change that is in the list and in the upload queue.
package struct HostedChangeResult: Sendable {
    package var list: ListID
    /// nil if nothing had to change: the item was already on the list, with these fields.
    package var entry: EntryID?
    /// The item after the change; for a deletion, before it.
    package var item: Item
    /// Whether the request is a repetition; then this is the first answer again.
    package var isDuplicate = false
    /// The number of entries in the device's upload queue, over all lists.
    package var waiting = 0
    /// The service's result; nil when the change was not sent in the same transaction.
    package var appended: Appended?
}

/// The rules by which the service takes a change in the transaction that queues it; the same as for every upload.
package struct HostedSending: Sendable {
    package var limits: Limits
    package var quotas: Quotas
    /// The change token for all changes up to and including an upload's.
    package var token: @Sendable (ListID, Appended) -> String

    package init(limits: Limits, quotas: Quotas, token: @escaping @Sendable (ListID, Appended) -> String) {
        self.limits = limits
        self.quotas = quotas
        self.token = token
    }
}

/// Why a change was not made. Nothing was stored.
package enum HostedChangeError: Error, Hashable, Sendable {
    case store(QueueStoreError)
    /// The device has no such list.
    case noSuchList
    /// Several lists have the name, or the request names none and there are several.
    case ambiguousList([Problem.Candidate])
    case noSuchItem
    /// Several items match the text.
    case ambiguousItem([Problem.Candidate])
    /// The device's account may only read the list.
    case readOnly
    /// The key belongs to a different request.
    case keyTaken
    /// Folding the list takes more memory than the account may use.
    case tooLong
    /// The device has not fetched the list yet.
    case notFetched
    /// The device can't store the list, also not after further tries, and has not received its own last changes.
    case notStored
    /// The upload queue is full, or too many of the device's entries have not come back to the list. There will be room.
    case tooManyWaiting
    /// The device has too many rejected entries. There is room when they are dismissed.
    case tooManyRejected
}
