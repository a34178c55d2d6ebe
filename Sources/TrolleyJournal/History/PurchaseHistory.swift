/// Purchases and aisles, computed from the entries of one or more lists.
///
/// An item counts as bought when it is marked off. A mark that is undone, or removed within five minutes, was a slip and
/// doesn't count. Undoing that removal brings the purchase back, and is no purchase itself.
public struct PurchaseHistory: Sendable {
    /// The maximum number of purchases per list that a device keeps after their entries were compressed, the latest.
    package static let mostKept = 2_000

    /// All purchases, in no particular order.
    public var purchases: [Purchase] { Array(bought.values) }
    /// All purchases, in the order in which they were made.
    package var inOrder: [Purchase] { purchases.sorted { $0.precedes($1) } }
    private var bought: [EntryID: Purchase] = [:]
    private var items: [ItemID: Known] = [:]
    /// The number of entries that were taken. Entries come in fold order, so it stands for their sequence.
    private var taken: Int64 = 0
    /// The aisle that was set last, by item key.
    private var aisles: [ItemKey: (aisle: String?, at: Timestamp)] = [:]

    private struct Known: Sendable {
        /// The text, the quantity, the aisle and how often it is bought.
        var fields = Fields()
        /// The purchase that the item's mark stands for.
        var purchase: EntryID?
        /// The purchase whose mark was removed last.
        var ended: Purchase?
        var added: (at: Timestamp, by: AccountID?)?
        // As in `FoldedItem`.
        var isDeleted: Decision<Bool>?
        var isMarkedOff: Decision<Bool>?

        var isWanted: Bool { isDeleted?.value == false && isMarkedOff?.value == false }

        mutating func decide(_ entry: JournalEntry, at stamp: Stamp) {
            let operation = entry.operation
            if operation.wantsItem || operation == .delete {
                isDeleted.merge(operation == .delete, at: stamp, by: entry.id)
            }
            if operation == .add || operation == .unmark || operation == .markOff {
                isMarkedOff.merge(operation == .markOff, at: stamp, by: entry.id)
            }
        }
    }

    public init() {}

    /// Processes a list's next entry, in fold order.
    /// - Parameter author: the entry's author; nil if there is no account.
    public mutating func take(_ entry: JournalEntry, madeAt: Timestamp, by author: AccountID? = nil) {
        guard entry.operation.concernsItem, let id = entry.item else { return }
        var item = items[id] ?? Known()
        taken += 1
        item.decide(entry, at: Stamp(madeAt: madeAt, sequence: SequenceNumber(rawValue: taken)))
        if entry.operation == .add, item.added == nil { item.added = (madeAt, author) }
        if entry.operation.writesFields {
            // Others are not needed, and an item may have many.
            for key in [Fields.text, Fields.quantity, Fields.aisle, Fields.every] {
                if let value = entry.fields[key] { item.fields[key] = value == .null ? nil : value }
            }
            // How often it is bought may be said after it was bought.
            if entry.fields[Fields.every] != nil, let purchase = item.purchase {
                bought[purchase]?.every = Recurrence(item.fields[Fields.every])
            }
            if let text = item.fields[Fields.text]?.string, entry.fields[Fields.aisle] != nil {
                noteAisle(item.fields[Fields.aisle]?.string, of: text, at: madeAt)
            }
        }
        switch entry.operation {
        case .markOff where entry.cause != .edit:
            guard let ended = item.ended else { break }
            bought[ended.entry] = ended
            item.purchase = ended.entry
            item.ended = nil
        case .markOff:
            guard let text = item.fields[Fields.text]?.string else { break }
            item.purchase = entry.id
            item.ended = nil
            var purchase = Purchase(
                entry: entry.id, text: text, quantity: item.fields[Fields.quantity]?.string,
                aisle: item.fields[Fields.aisle]?.string, at: madeAt)
            purchase.item = id
            purchase.shop = entry.fields[Fields.shop]?.string
            purchase.every = Recurrence(item.fields[Fields.every])
            purchase.author = author
            purchase.number = entry.deviceSequence
            purchase.batch = entry.batch
            purchase.added = item.added?.at
            purchase.addedBy = item.added?.by
            add(purchase)
        case .unmark:
            // An unmark that was made before the mark but came later doesn't remove it.
            guard let id = item.purchase, let purchase = bought[id], purchase.at <= madeAt else { break }
            if purchase.wouldBeSlip(unmarkedAt: madeAt) || entry.cause == .undo { bought[id] = nil }
            item.purchase = nil
            item.ended = purchase
        default: break
        }
        items[id] = item
    }

    /// Adds a purchase whose entries compression has removed.
    public mutating func add(_ purchase: Purchase) {
        bought[purchase.entry] = purchase
        if let aisle = purchase.aisle { noteAisle(aisle, of: purchase.text, at: purchase.at) }
    }

    /// The items that were added, oldest first: bought ones, and those that are wanted.
    var additions: [Trip.Added] {
        var additions: [ItemID: Trip.Added] = [:]
        for (id, item) in items {
            guard let added = item.added, item.isWanted, let text = item.fields[Fields.text]?.string
            else { continue }
            additions[id] = Trip.Added(item: id, text: text, at: added.at, by: added.by)
        }
        // The last purchase comes first, so that the first one remains.
        for purchase in bought.values.sorted(by: { $1.precedes($0) }) {
            guard let id = purchase.item, let at = purchase.added else { continue }
            additions[id] = Trip.Added(item: id, text: purchase.text, at: at, by: purchase.addedBy)
        }
        return additions.values.sorted { $0.at == $1.at ? $0.item < $1.item : $0.at < $1.at }
    }

    /// The aisle that an item of this text had last; nil when it had none.
    public func aisle(of text: String) -> String? { aisles[text.itemKey]?.aisle }

    private mutating func noteAisle(_ aisle: String?, of text: String, at time: Timestamp) {
        let key = text.itemKey
        if let known = aisles[key], time < known.at { return }
        aisles[key] = (aisle, time)
    }
}

extension PurchaseHistory {
    /// Processes a list's next confirmed entry, in fold order.
    public mutating func take(_ entry: ConfirmedEntry) { take(entry.entry, madeAt: entry.madeAt, by: entry.author) }

    /// - Parameter entries: a list's, in any order.
    public init(_ entries: some Swift.Sequence<ConfirmedEntry>) {
        self.init()
        for entry in entries.inStreamOrder() { take(entry) }
    }
}

extension ListFold {
    /// The last aisle of an item with each of these texts on the list, deleted or not. Texts that mean the same item have one
    /// key. Passes the list once, however many texts there are.
    package func lastAisles(of texts: some Swift.Sequence<String>) -> [ItemKey: String] {
        lastValues(of: Fields.aisle, texts: texts)
    }

    /// The same for any field.
    package func lastValues(of field: String, texts: some Swift.Sequence<String>) -> [ItemKey: String] {
        var latest: [ItemKey: Decision<FieldValue>?] = [:]
        for text in texts { latest.updateValue(nil, forKey: text.itemKey) }
        guard !latest.isEmpty else { return [:] }
        for item in list.items {
            WorkCounter.step()
            guard let value = item.field(field), let key = item.field(Fields.text)?.value.string?.itemKey,
                var known = latest[key]
            else { continue }
            known.merge(value.value, at: value.stamp, by: value.by)
            latest.updateValue(known, forKey: key)
        }
        var values: [ItemKey: String] = [:]
        for (key, value) in latest { if let value = value?.value.string { values[key] = value } }
        return values
    }

    /// The last aisle of an item with this text on the list, deleted or not; nil if none had one.
    public func aisle(ofItemCalled text: String) -> String? { lastAisles(of: CollectionOfOne(text))[text.itemKey] }
}
