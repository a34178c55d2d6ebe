/// The meaning of a table's columns, by the names in shopping and task apps.
struct CSVColumns {
    enum Meaning: Hashable {
        case text, quantity, unit, note, aisle, mark, list, type
    }

    /// The meaning of each column; nil: a list can't represent it.
    private(set) var meanings: [Meaning?]
    let names: [String]

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
    init(_ header: [String]) {
        names = header
        var meanings = [Meaning?](repeating: nil, count: header.count)
        let keys = header.map { name in String(name.lowercased().filter { $0.isLetter || $0.isNumber }) }
        for (meaning, names) in Self.known {
            // If several columns have one meaning, the first name in this table counts.
            let found = names.lazy.compactMap { name in keys.firstIndex(of: name) }.first
            if let found, meanings[found] == nil { meanings[found] = meaning }
        }
        self.meanings = meanings
    }

    func index(of meaning: Meaning) -> Int? { meanings.firstIndex(of: meaning) }

    /// Whether a text begins with column names.
    static func areNamed(inFirstLineOf text: String) -> Bool {
        let line = text.prefix { !$0.isNewline }
        let first: CSVTable.Row?
        do { first = try CSVTable(String(line)).rows.first } catch { return false }
        guard let row = first, row.cells.count > 1 else { return false }
        let columns = CSVColumns(row.cells)
        return columns.index(of: .text) != nil && columns.meanings.count { $0 != nil } > 1
    }

    /// Whether a cell of the marks' column means that the item is marked off.
    static func isMark(_ cell: String) -> Bool {
        let no = ["", "0", "false", "no", "n", "open", "needsaction", "active", "unchecked", "todo", "-", "incomplete"]
        return !no.contains(cell.lowercased().filter { !$0.isWhitespace })
    }
}
