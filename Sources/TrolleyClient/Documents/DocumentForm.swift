/// A document format for lists.
public enum DocumentForm: String, CaseIterable, Hashable, Sendable {
    /// A Markdown checklist, which GitHub, Obsidian and note apps show. Contains the name, order, marks, texts, quantities,
    /// notes and aisles.
    case markdown
    /// A CSV table (RFC 4180) with a column for each field. Contains all items except for fields that are not text, and not
    /// the list's name and colour.
    case csv
    /// The complete list: `{"format": "trolley-list", …}`.
    case json
}

/// The reason why a document can't be read as a list, with the line if possible.
public struct DocumentError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
