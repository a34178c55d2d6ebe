/// A form in which other programs read a list.
public enum DocumentForm: String, CaseIterable, Hashable, Sendable {
    /// A checklist, as GitHub, Obsidian and note apps show it. It carries the name, order, marks, texts, quantities, notes and
    /// aisles.
    case markdown
    /// A table of RFC 4180, with a column for each field. It carries all items whole, but for fields that are no texts; not the
    /// list's name and colour.
    case csv
    /// All there is: `{"format": "trolley-list", …}`.
    case json
}

/// Why a document can't be read as a list; with the line, where that helps.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
