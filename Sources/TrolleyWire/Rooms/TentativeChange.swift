public import TrolleyJournal

/// A change that is not in the journal yet.
public struct TentativeChange: Hashable, Sendable {
    /// The entry that will take its place.
    public var entry: EntryID
    /// `add`, `edit`, `markOff`, `unmark` or `delete`.
    public var operation: Operation
    public var item: ItemID
    /// For `add` and `edit`: the item's text, if it changes, cut to ``maximumText``.
    public var text: String?

    /// Bytes of a text in a frame, in UTF-8. The journal's entry has the whole text.
    public static let maximumText = 400

    public init(entry: EntryID, operation: Operation, item: ItemID, text: String? = nil) {
        self.entry = entry
        self.operation = operation
        self.item = item
        self.text = text.map(Self.cut)
    }

    /// The text's beginning, without breaking a scalar.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumText else { return text }
        var end = maximumText
        let bytes = Array(text.utf8)
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
