public import TrolleyJournal

/// One change to a list.
public enum ListEdit: Hashable, Sendable {
    case add(ItemID, Fields, Place)
    /// Fields with the value `.null` are cleared; fields that are not given stay.
    case edit(ItemID, Fields)
    case markOff(ItemID)
    case unmark(ItemID)
    case move(ItemID, Place)
    case delete(ItemID)
    case rename(String)
    case recolour(String)
    /// In which order the list's aisles are walked through; none: in no order of its own.
    case orderAisles([String])
    /// Adds a shop, or gives it another order of aisles.
    case setShop(Shop)
    /// Writes a message on the list, or on one of its items. Its id is the entry's.
    case message(String, about: ItemID? = nil)
    /// Deletes a message for everybody. Only its author and the list's owner may.
    case deleteMessage(EntryID)
    /// Adds the person's reaction to a message, such as 👍.
    case react(EntryID, String)
    /// Takes the person's reaction back.
    case unreact(EntryID, String)
    case pin(EntryID)
    case unpin(EntryID)

    /// A place for an item.
    public enum Place: Hashable, Sendable {
        case top, bottom
        case after(ItemID)
    }
}

extension ListEdit {
    /// The entry for the change, still without its number, which the store sets.
    func entry(id: EntryID, batch: BatchID, bottom: ItemID?) -> JournalEntry {
        var entry = JournalEntry(id: id, operation: operation, batch: batch, deviceSequence: 1)
        switch self {
        case .add(let item, let fields, let place):
            entry.item = item
            entry.fields = fields
            entry.after = place.itemAbove(bottom: bottom)
        case .edit(let item, let fields):
            entry.item = item
            entry.fields = fields
        case .markOff(let item), .unmark(let item), .delete(let item): entry.item = item
        case .move(let item, let place):
            entry.item = item
            entry.after = place.itemAbove(bottom: bottom)
        case .orderAisles(let aisles):
            entry.fields = [Fields.aisles: ListState.text(of: aisles).map { .string($0) } ?? .null]
        case .setShop(let shop):
            entry.fields = [Fields.aisles(at: shop.name): .string(ListState.text(of: shop.aisles) ?? "")]
        case .rename(let text), .recolour(let text): entry.fields = [Fields.text: .string(text)]
        case .message(let text, let item):
            entry.item = item
            entry.fields = [Fields.text: .string(text)]
        case .deleteMessage(let message), .pin(let message), .unpin(let message):
            entry.fields = [Fields.message: .string(message.description)]
        case .react(let message, let text), .unreact(let message, let text):
            entry.fields = [Fields.message: .string(message.description), Fields.text: .string(text)]
        }
        return entry
    }

    private var operation: Operation {
        switch self {
        case .add: .add
        case .edit: .edit
        case .markOff: .markOff
        case .unmark: .unmark
        case .move: .move
        case .delete: .delete
        case .rename: .renameList
        case .recolour, .orderAisles, .setShop: .recolourList
        case .message: .message
        case .deleteMessage: .deleteMessage
        case .react: .react
        case .unreact: .unreact
        case .pin: .pin
        case .unpin: .unpin
        }
    }
}

extension ListEdit.Place {
    /// The item above this place; nil: it is the top.
    /// - Parameter bottom: the list's last item.
    func itemAbove(bottom: ItemID?) -> ItemID? {
        switch self {
        case .top: nil
        case .bottom: bottom
        case .after(let item): item
        }
    }
}
