/// What an entry does.
public enum Operation: Hashable, Sendable {
    case add, edit, markOff, unmark, move, delete, renameList, recolourList
    case message, deleteMessage, react, unreact, pin, unpin
    /// An operation that only a later version knows. The entry is kept as it is and has no effect.
    case unknown(String)

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

extension Operation: RawRepresentable, Codable {
    /// - Returns: nil for an operation that this version doesn't know.
    public init?(rawValue: String) {
        switch rawValue {
        case "add": self = .add
        case "edit": self = .edit
        case "markOff": self = .markOff
        case "unmark": self = .unmark
        case "move": self = .move
        case "delete": self = .delete
        case "renameList": self = .renameList
        case "recolourList": self = .recolourList
        case "message": self = .message
        case "deleteMessage": self = .deleteMessage
        case "react": self = .react
        case "unreact": self = .unreact
        case "pin": self = .pin
        case "unpin": self = .unpin
        default: return nil
        }
    }

    /// The operation of this name, which may be ``unknown(_:)``.
    public init(named name: String) { self = Operation(rawValue: name) ?? .unknown(name) }

    /// The operation's name in entries.
    public var rawValue: String {
        switch self {
        case .add: "add"
        case .edit: "edit"
        case .markOff: "markOff"
        case .unmark: "unmark"
        case .move: "move"
        case .delete: "delete"
        case .renameList: "renameList"
        case .recolourList: "recolourList"
        case .message: "message"
        case .deleteMessage: "deleteMessage"
        case .react: "react"
        case .unreact: "unreact"
        case .pin: "pin"
        case .unpin: "unpin"
        case .unknown(let name): name
        }
    }
}
