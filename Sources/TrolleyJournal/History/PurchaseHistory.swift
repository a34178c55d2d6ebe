/// Purchases and aisles, computed from the entries of one or more lists.
///
/// An item counts as bought when it is marked off. A mark that is undone, or removed within five minutes, was a slip and
/// doesn't count.
public struct PurchaseHistory: Sendable {
    /// All purchases, in no particular order.
    public var purchases: [Purchase] { Array(bought.values) }
    private var bought: [EntryID: Purchase] = [:]
    private var items: [ItemID: Known] = [:]
    /// The aisle that was set last, by item key.
    private var aisles: [ItemKey: (aisle: String?, at: Timestamp)] = [:]

    /// A mark that is removed within this time was a slip, in milliseconds.
    private static let slip: Int64 = 300_000

    private struct Known: Sendable {
        var fields = Fields()
        var purchase: EntryID?
    }

    public init() {}

    /// Processes a list's next entry, in fold order.
    public mutating func take(_ entry: JournalEntry, madeAt: Timestamp) {
        guard entry.operation.concernsItem, let id = entry.item else { return }
        var item = items[id] ?? Known()
        if entry.operation.writesFields {
            for (key, value) in entry.fields { item.fields[key] = value == .null ? nil : value }
            if let text = item.fields[Fields.text]?.string, entry.fields[Fields.aisle] != nil {
                noteAisle(item.fields[Fields.aisle]?.string, of: text, at: madeAt)
            }
        }
        switch entry.operation {
        case .markOff:
            guard let text = item.fields[Fields.text]?.string else { break }
            item.purchase = entry.id
            add(
                Purchase(
                    entry: entry.id, text: text, quantity: item.fields[Fields.quantity]?.string,
                    aisle: item.fields[Fields.aisle]?.string, at: madeAt))
        case .unmark:
            guard let purchase = item.purchase, let at = bought[purchase]?.at else { break }
            let isSlip = madeAt.milliseconds - at.milliseconds <= Self.slip
            if isSlip || entry.cause == .undo { bought[purchase] = nil }
            item.purchase = nil
        default: break
        }
        items[id] = item
    }

    /// Adds a purchase whose entries compression has removed.
    public mutating func add(_ purchase: Purchase) {
        bought[purchase.entry] = purchase
        if let aisle = purchase.aisle { noteAisle(aisle, of: purchase.text, at: purchase.at) }
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
    public init(_ entries: some Swift.Sequence<ConfirmedEntry>) {
        self.init()
        for entry in entries { take(entry.entry, madeAt: entry.madeAt) }
    }
}

extension ListFold {
    /// The last aisle of an item with this text on the list, deleted or not; nil if none had one.
    public func aisle(ofItemCalled text: String) -> String? {
        let list = self.list
        let key = text.itemKey
        var latest: Decision<FieldValue>?
        for item in list.items where item.field(Fields.text)?.value.string?.itemKey == key {
            guard let aisle = item.field(Fields.aisle) else { continue }
            latest.merge(aisle.value, at: aisle.stamp, by: aisle.by)
        }
        return latest?.value.string
    }
}
