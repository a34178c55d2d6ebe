/// What an entry does.
public enum Operation: String, Hashable, Sendable, Codable {
    case add, edit, markOff, unmark, move, delete, renameList, recolourList
    case message, deleteMessage, react, unreact, pin, unpin
    /// An operation that only a later version knows; see ``JournalEntry/unknownOperation``. The entry is kept and has no effect.
    case unknown

    /// Whether the entry changes an item, which it must name.
    public var concernsItem: Bool {
        switch self {
        case .add, .edit, .markOff, .unmark, .move, .delete: true
        default: false
        }
    }
    /// Whether the entry changes the list itself.
    public var concernsList: Bool { self == .renameList || self == .recolourList }
    /// Whether the entry is a message, or is about one.
    public var concernsMessages: Bool { self == .message || namesMessage }
    /// Whether the entry is about a message, which it must name; see ``JournalEntry/message``.
    public var namesMessage: Bool {
        switch self {
        case .deleteMessage, .react, .unreact, .pin, .unpin: true
        default: false
        }
    }
    /// Whether undo and redo concern the entry.
    public var isUndoable: Bool { concernsItem || concernsList }
    /// Whether the entry places its item below an anchor.
    public var places: Bool { self == .add || self == .move }
    /// Whether the entry means that the item is wanted: it restores an item that was deleted or compressed away.
    public var wantsItem: Bool { self == .add || self == .edit || self == .unmark }
    /// Whether the entry writes its item's fields.
    public var writesFields: Bool { self == .add || self == .edit }
}

extension Operation: CaseIterable {
    /// All operations that this version knows.
    public static let allCases: [Operation] = [
        .add, .edit, .markOff, .unmark, .move, .delete, .renameList, .recolourList, .message, .deleteMessage, .react,
        .unreact, .pin, .unpin,
    ]
}
