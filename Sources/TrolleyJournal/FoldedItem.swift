/// What the fold knows about one item: for everything that can be decided about it, the latest decision.
struct FoldedItem: Sendable {
    let id: ItemID
    /// In the order of their keys' UTF-8 bytes. A field that was cleared is here too: an earlier write that arrives
    /// later must still lose.
    private(set) var fields: [Field] = []
    /// `markOff` (true) against `add` and `unmark` (false).
    private(set) var markedOff: Decision<Bool>?
    /// `delete` (true) against `add`, `edit` and `unmark` (false).
    private(set) var deleted: Decision<Bool>?
    /// The first `add` in the order of the stream; nil while nobody has added the item.
    private(set) var addedBy: EntryID?
    /// The last `add` or `move` in the order of the stream.
    private(set) var placedBy: EntryID?
    /// How many entries name this item.
    var entryCount: Int32 = 0

    struct Field: Sendable {
        var key: String
        var decision: Decision<FieldValue>
    }

    init(id: ItemID) { self.id = id }

    var isAdded: Bool { addedBy != nil }
    var isDeleted: Bool { deleted?.value ?? false }
    var isMarkedOff: Bool { markedOff?.value ?? false }
    /// Deleted or marked off: what compression may take away.
    var isFinished: Bool { isDeleted || isMarkedOff }
    /// Whether it is in `ListState.items`.
    var isShown: Bool { isAdded && !isDeleted }

    func field(_ key: String) -> Decision<FieldValue>? {
        fields.first { $0.key.hasSameBytes(as: key) }?.decision
    }

    /// The fields that are set.
    var shownFields: Fields {
        var shown = Fields()
        for field in fields where field.decision.value != .null { shown[field.key] = field.decision.value }
        return shown
    }

    /// Whether the entry still wins something: it added the item or put it where it is, or has the last word on a field,
    /// on whether the item is marked off, or on whether it is there.
    func isDecided(by entry: JournalEntry) -> Bool {
        let id = entry.id
        if Mistake.isMade(.markIsForgotten), entry.operation == .markOff { return false }
        if addedBy == id || placedBy == id || markedOff?.by == id || deleted?.by == id { return true }
        return entry.operation.writesFields && fields.contains { $0.decision.by == id }
    }

    /// Registers and camps; the item's place is the order's business.
    mutating func decide(_ entry: JournalEntry, at stamp: Stamp) {
        switch entry.operation {
        case .add:
            write(entry, at: stamp)
            markedOff.merge(false, at: stamp, by: entry.id)
            deleted.merge(false, at: stamp, by: entry.id)
        case .edit:
            write(entry, at: stamp)
            if Mistake.isMade(.deleteAlwaysWins) { break }
            deleted.merge(false, at: stamp, by: entry.id)
        case .markOff:
            markedOff.merge(true, at: stamp, by: entry.id)
        case .unmark:
            markedOff.merge(false, at: stamp, by: entry.id)
            deleted.merge(false, at: stamp, by: entry.id)
        case .delete:
            deleted.merge(true, at: stamp, by: entry.id)
        case .move, .renameList, .recolourList:
            break
        }
    }

    /// Notes that an entry has put the item where it is now.
    mutating func wasPlaced(by entry: JournalEntry) {
        if addedBy == nil { addedBy = entry.id }
        placedBy = entry.id
    }

    private mutating func write(_ entry: JournalEntry, at stamp: Stamp) {
        for (key, value) in entry.fields {
            let index = fields.firstIndex { !$0.key.bytesPrecede(key) } ?? fields.endIndex
            if index < fields.endIndex, fields[index].key.hasSameBytes(as: key) {
                if Mistake.isMade(.addIsNoRegister), entry.operation == .add { continue }
                fields[index].decision.merge(value, at: stamp, by: entry.id)
            } else {
                fields.insert(Field(key: key, decision: Decision(value, at: stamp, by: entry.id)), at: index)
            }
        }
    }
}
