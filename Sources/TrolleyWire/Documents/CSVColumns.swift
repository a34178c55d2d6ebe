/// The columns of a table, and what they mean by the names in shopping and task apps.
public struct CSVColumns: Hashable, Sendable {
    public enum Meaning: String, CaseIterable, Hashable, Sendable {
        case text, quantity, unit, note, aisle
        /// Whether the item is marked off.
        case mark
        /// The name of the item's list.
        case list
        /// The kind of row, in Todoist's files.
        case type
    }

    /// What a person says of a table.
    public struct Choice: Hashable, Sendable {
        /// The meaning of each column; nil: it is left out. Columns beyond the last are left out.
        public var meanings: [Meaning?]
        /// Whether the first row names the columns; otherwise it is an item, too.
        public var isFirstRowNames: Bool

        public init(meanings: [Meaning?], isFirstRowNames: Bool = true) {
            self.meanings = meanings
            self.isFirstRowNames = isFirstRowNames
        }
    }

    /// The cells of the first row.
    public let names: [String]
    /// The meaning of each column; nil: a list can't represent it.
    public private(set) var meanings: [Meaning?]
    /// The cells of the rows that follow, at most ``mostSamples``.
    public let samples: [[String]]

    public static let mostSamples = 3

    private static let known: [(meaning: Meaning, names: [String])] = [
        (.type, ["type"]),
        (
            .text,
            [
                "text", "item", "name", "itemname", "product", "productname", "article", "content", "title", "task",
                "tasktitle",
            ]
        ),
        (.quantity, ["quantity", "qty", "amount", "count"]),
        (.unit, ["unit", "units"]),
        (.note, ["note", "notes", "comment", "comments", "details", "description", "specification", "memo"]),
        (.aisle, ["aisle", "category", "categories", "section", "department"]),
        (
            .mark,
            [
                "markedoff", "checked", "ischecked", "crossedoff", "completed", "iscompleted", "complete", "done",
                "purchased",
                "bought", "status", "completiondate",
            ]
        ),
        (.list, ["list", "listname", "folder", "folder name"]),
    ]

    /// - Parameter header: the first row.
    init(_ header: [String], samples: [[String]] = []) {
        names = header
        self.samples = samples
        var meanings = [Meaning?](repeating: nil, count: header.count)
        let keys = header.map { name in String(name.lowercased().filter { $0.isLetter || $0.isNumber }) }
        for (meaning, names) in Self.known {
            // If several columns have one meaning, the first name in this table counts.
            let found = names.lazy.compactMap { name in keys.firstIndex { $0 == name } }.first
            if let found, meanings[found] == nil { meanings[found] = meaning }
        }
        self.meanings = meanings
    }

    /// - Parameter choice: with the meaning of each column.
    init(_ names: [String], _ choice: Choice) {
        self.names = names
        samples = []
        meanings = names.indices.map { $0 < choice.meanings.count ? choice.meanings[$0] : nil }
    }

    func index(of meaning: Meaning) -> Int? { meanings.firstIndex { $0 == meaning } }

    /// Whether a text begins with column names.
    static func areNamed(inFirstLineOf text: String) -> Bool {
        let line = text.prefix { !$0.isNewline }
        let first: CSVTable.Row?
        do { first = try CSVTable(String(line)).rows.first } catch { return false }
        guard let row = first, row.cells.count > 1 else { return false }
        let columns = CSVColumns(row.cells)
        return columns.index(of: .text) != nil && columns.meanings.count { $0 != nil } > 1
    }

    /// Whether each row says whether it is a task, a section or a note.
    var isTodoist: Bool {
        index(of: .type) != nil && index(of: .text).map { names[$0].lowercased() == "content" } ?? false
    }

    private static let unmarked = [
        "", "0", "false", "no", "n", "open", "needsaction", "active", "unchecked", "todo", "-", "incomplete",
    ]

    /// Whether a cell of the marks' column means that the item is marked off.
    static func isMark(_ cell: String) -> Bool {
        let word = String(cell.lowercased().filter { !$0.isWhitespace })
        return !unmarked.contains { $0 == word }
    }
}
