/// What one person did to a list in a part of its journal, as counts: 'added 5, marked off 3, wrote 2 messages'.
///
/// It counts what remains at the end of the part. An item counts once for each kind of change. What the person took back
/// themselves doesn't count: an item that they added and deleted, or marked off and unmarked. A new item's own edits and
/// moves belong to its adding. Of what concerns messages, only written ones count: no reactions, pins and deletions.
public struct ChangeTally: Hashable, Sendable {
    /// Items added.
    public var added = 0
    /// Items whose text or other fields changed.
    public var edited = 0
    public var markedOff = 0
    public var unmarked = 0
    public var deleted = 0
    public var moved = 0
    /// Changes of the list itself: its name, its colour, its order of aisles.
    public var listChanges = 0
    /// Messages written.
    public var messages = 0

    private var items: [ItemID: ItemChanges] = [:]

    /// What the person did to one item.
    private struct ItemChanges: Hashable {
        var isAdded = false
        var isEdited = false
        var isMarkedOff = false
        var isUnmarked = false
        var isDeleted = false
        var isMoved = false
    }

    public init() {}

    /// Counts one more of the person's entries, in the order of the journal.
    public mutating func count(_ operation: Operation, of item: ItemID?) {
        if operation.concernsList { listChanges += 1 }
        if operation == .message { messages += 1 }
        guard operation.concernsItem, let item else { return }
        var changes = items[item] ?? ItemChanges()
        subtract(changes)
        switch operation {
        case .add: changes = ItemChanges(isAdded: true)
        case .edit:
            changes.isDeleted = false
            changes.isEdited = !changes.isAdded
        case .markOff:
            // After the person's own unmark the item is as it was before.
            changes.isMarkedOff = !changes.isUnmarked
            changes.isUnmarked = false
        case .unmark:
            changes.isDeleted = false
            changes.isUnmarked = !changes.isMarkedOff
            changes.isMarkedOff = false
        case .move: changes.isMoved = !changes.isAdded
        case .delete: changes = ItemChanges(isDeleted: !changes.isAdded)
        default: break
        }
        items[item] = changes
        add(changes)
    }

    /// Whether nothing remains to be told.
    public var isEmpty: Bool {
        added + edited + markedOff + unmarked + deleted + moved + listChanges + messages == 0
    }

    private mutating func add(_ changes: ItemChanges) { change(by: 1, changes) }

    private mutating func subtract(_ changes: ItemChanges) { change(by: -1, changes) }

    private mutating func change(by step: Int, _ changes: ItemChanges) {
        if changes.isAdded { added += step }
        if changes.isEdited { edited += step }
        if changes.isMarkedOff { markedOff += step }
        if changes.isUnmarked { unmarked += step }
        if changes.isDeleted { deleted += step }
        if changes.isMoved { moved += step }
    }
}
