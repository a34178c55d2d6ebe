/// The folded state of one item: for each property, the latest decision.
struct FoldedItem: Sendable {
    let id: ItemID
    /// The field `text`. Most items have only this field, so storing it separately saves them an allocation.
    private var text: Decision<FieldValue>?
    /// All other fields.
    private var others = FoldedFields()
    /// `markOff` (true) against `add` and `unmark` (false).
    private(set) var markedOff: Decision<Bool>?
    /// `delete` (true) against `add`, `edit` and `unmark` (false).
    private(set) var deleted: Decision<Bool>?
    /// The first `add` in stream order; nil while there is none.
    private(set) var addedBy: EntryID?
    /// The entry that placed the item last; nil while there is no `add`.
    private var placed: Decision<Void>?
    /// The number of entries that name this item.
    var entryCount: Int32 = 0

    init(id: ItemID) { self.id = id }

    var isAdded: Bool { addedBy != nil }
    /// The entry that placed the item last.
    var placedBy: EntryID? { placed?.by }
    var isDeleted: Bool { deleted?.value ?? false }
    var isMarkedOff: Bool { markedOff?.value ?? false }
    /// Whether the item is deleted or marked off, so that compression may remove it.
    var isFinished: Bool { isDeleted || isMarkedOff }
    /// Whether the item is in `ListState.items`.
    var isShown: Bool { isAdded && !isDeleted }

    func field(_ key: String) -> Decision<FieldValue>? {
        if key.hasSameBytes(as: Fields.text) { return text }
        return others[key]
    }

    /// Every field that was ever written, in no particular order.
    var fields: [FoldedFields.Field] {
        (text.map { [FoldedFields.Field(key: Fields.text, decision: $0)] } ?? []) + others.all
    }

    /// The fields that are set.
    var shownFields: Fields { others.shown(text: text?.value) }

    /// Whether the entry still decides something: it added the item or placed it last, or is the latest decision on a
    /// field, on whether the item is marked off, or on whether it is deleted.
    func isDecided(by entry: JournalEntry) -> Bool {
        let id = entry.id
        if SeededFault.isSeeded(.markOffIsDiscarded), entry.operation == .markOff { return false }
        if addedBy == id || placedBy == id || markedOff?.by == id || deleted?.by == id { return true }
        guard entry.operation.writesFields else { return false }
        for (key, _) in entry.fields where field(key)?.by == id { return true }
        return false
    }

    /// Takes the entry's decisions, except the item's place, which `ItemOrder` has.
    mutating func decide(_ entry: JournalEntry, at stamp: Stamp) {
        switch entry.operation {
        case .add:
            write(entry, at: stamp)
            markedOff.merge(false, at: stamp, by: entry.id)
            deleted.merge(false, at: stamp, by: entry.id)
        case .edit:
            write(entry, at: stamp)
            if SeededFault.isSeeded(.deleteAlwaysWins) { break }
            deleted.merge(false, at: stamp, by: entry.id)
        case .markOff:
            markedOff.merge(true, at: stamp, by: entry.id)
        case .unmark:
            markedOff.merge(false, at: stamp, by: entry.id)
            deleted.merge(false, at: stamp, by: entry.id)
        case .delete:
            deleted.merge(true, at: stamp, by: entry.id)
        default:
            break
        }
    }

    /// Decides whether an `add` or `move` places the item. The first `add` in the stream does; after that, each entry
    /// that is later than the one that placed the item last. An entry whose anchor is the item itself doesn't.
    /// - Returns: whether the order must change.
    mutating func decidePlace(_ entry: JournalEntry, at stamp: Stamp) -> Bool {
        if let placed {
            let isItself = entry.after == entry.item && !SeededFault.isSeeded(.selfMoveCounts)
            let isLater = placed.stamp < stamp || SeededFault.isSeeded(.placeIsNotRegister)
            guard isLater, !isItself else { return false }
        } else {
            guard entry.operation == .add else { return false }
            addedBy = entry.id
        }
        placed = Decision((), at: stamp, by: entry.id)
        return true
    }

    private mutating func write(_ entry: JournalEntry, at stamp: Stamp) {
        for (key, value) in entry.fields {
            if SeededFault.isSeeded(.addedFieldsAlwaysWin), entry.operation == .add, field(key) != nil { continue }
            if key.hasSameBytes(as: Fields.text) {
                text.merge(value, at: stamp, by: entry.id)
            } else {
                others.merge(value, of: key, at: stamp, by: entry.id)
            }
        }
    }
}
