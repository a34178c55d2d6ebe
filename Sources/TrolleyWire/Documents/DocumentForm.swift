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

    /// The format of a file, by its extension or its first characters.
    init(of text: String, file: String) {
        let file = file.lowercased()
        if file.hasSuffix(".csv") || file.hasSuffix(".tsv") {
            self = .csv
        } else if file.hasSuffix(".json") {
            self = .json
        } else if file.hasSuffix(".md") || file.hasSuffix(".markdown") || file.hasSuffix(".txt") {
            self = .markdown
        } else if let first = text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }), first == "{" || first == "[",
            JSONTree(text) != nil
        {
            self = .json
        } else {
            self = CSVColumns.areNamed(inFirstLineOf: text) ? .csv : .markdown
        }
    }
}
