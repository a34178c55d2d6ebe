/// What an entry does.
public enum Operation: String, CaseIterable, Hashable, Sendable, Codable {
    case add, edit, markOff, unmark, move, delete, renameList, recolourList

    /// Whether the entry names an item.
    public var concernsItem: Bool { self != .renameList && self != .recolourList }
    /// Whether the entry places its item below an anchor.
    public var places: Bool { self == .add || self == .move }
    /// Whether the entry means that the item is wanted: it restores an item that was deleted or compressed away.
    public var wantsItem: Bool { self == .add || self == .edit || self == .unmark }
    /// Whether the entry writes its item's fields.
    public var writesFields: Bool { self == .add || self == .edit }
}
