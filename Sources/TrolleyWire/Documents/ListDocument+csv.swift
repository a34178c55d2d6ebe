import TrolleyJournal

// CSV tables. Trolley's own begin with its four fields and the mark, in this order. Columns of other fields follow.

extension ListDocument {
    private static let own = [Fields.text, Fields.quantity, Fields.note, Fields.aisle, "markedOff"]

    var csv: String {
        var others: Set<String> = []
        for item in items {
            for (key, value) in item.fields where !Self.own.contains(key) && value.string != nil { others.insert(key) }
        }
        let keys = others.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var rows = [(Self.own + keys).map { CSVTable.escaped($0) }]
        for item in items {
            func cell(_ key: String) -> String { CSVTable.escaped((item.fields[key]?.string ?? "").defused) }
            rows.append(
                [
                    cell(Fields.text), cell(Fields.quantity), cell(Fields.note), cell(Fields.aisle),
                    item.isMarkedOff ? "true" : "false",
                ] + keys.map(cell))
        }
        return rows.map { $0.joined(separator: ",") + "\r\n" }.joined()
    }

    /// - Parameter choice: what the columns mean; nil: by their names.
    static func lists(csv text: String, _ choice: CSVColumns.Choice?) throws(DocumentError) -> [ListDocument] {
        let rows = try CSVTable(text).rows
        guard let header = rows.first else { return [] }
        for row in rows where row.cells.count > header.cells.count { throw .tooManyCells(line: row.line) }
        if choice == nil, isOwn(header.cells) { return [ListDocument(own: rows.dropFirst(), keys: header.cells)] }
        let columns = choice.map { CSVColumns(header.cells, $0) } ?? CSVColumns(header.cells)
        if columns.index(of: .text) == nil { throw .noItemColumn }
        if choice == nil, columns.isTodoist { return [ListDocument(tasks: rows.dropFirst(), columns)] }
        let items = choice?.isFirstRowNames == false ? rows[...] : rows.dropFirst()
        var documents: [ListDocument] = []
        var places: [String: Int] = [:]
        for row in items {
            let name = row[columns.index(of: .list)]
            let index = places[name ?? ""] ?? documents.endIndex
            if index == documents.endIndex {
                places[name ?? ""] = index
                documents.append(ListDocument(name: name))
            }
            if let item = NewItem(row, columns) { documents[index].items.append(item) }
            if documents[index].items.count > mostItems { throw .tooManyItems }
            if documents.count > mostLists { throw .tooManyLists }
        }
        let leftOut = columns.leftOut(of: items)
        for index in documents.indices { documents[index].leftOut = leftOut }
        return documents
    }

    /// Whether a table is one of Trolley's.
    static func isOwn(_ header: [String]) -> Bool { header.starts(with: own) }

    private init(own rows: ArraySlice<CSVTable.Row>, keys: [String]) {
        self.init()
        for row in rows {
            var item = NewItem(fields: [:])
            for (key, cell) in zip(keys, row.cells) {
                if key == "markedOff" {
                    item.isMarkedOff = CSVColumns.isMark(cell)
                } else if !cell.isEmpty {
                    item.fields[key] = .string(cell.armed)
                }
            }
            items.append(item)
        }
    }

    /// A Todoist file: a row is a task, a section, or a note on the task above.
    private init(tasks rows: ArraySlice<CSVTable.Row>, _ columns: CSVColumns) {
        self.init()
        var section: String?
        for row in rows {
            let content = row[columns.index(of: .text)]
            switch row[columns.index(of: .type)]?.lowercased() {
            case "section": section = content
            case "task":
                guard var item = NewItem(row, columns) else { continue }
                item.fields[Fields.aisle] = section.map { .string($0) }
                items.append(item)
            case "note":
                guard let content, !items.isEmpty else { continue }
                let index = items.endIndex - 1
                let before = items[index].fields[Fields.note]?.string
                items[index].fields[Fields.note] = .string(before.map { $0 + "\n" + content } ?? content)
            default: break
            }
        }
        leftOut = columns.leftOut(of: rows)
    }
}

extension CSVTable.Row {
    /// A cell's text; nil if there is no such column, or the cell is empty.
    subscript(_ column: Int?) -> String? {
        guard let column, column < cells.count else { return nil }
        let text = cells[column].trimmingSpace
        return text.isEmpty ? nil : text
    }
}

extension NewItem {
    fileprivate init?(_ row: CSVTable.Row, _ columns: CSVColumns) {
        guard let text = row[columns.index(of: .text)] else { return nil }
        var quantity = row[columns.index(of: .quantity)]
        if let unit = row[columns.index(of: .unit)] {
            quantity = quantity.map { String(joining: $0, " ", unit) } ?? unit
        }
        guard var line = ItemLine(text, quantities: quantity == nil) else { return nil }
        line.quantity = line.quantity ?? quantity
        self.init(line)
        fields[Fields.note] = row[columns.index(of: .note)].map { .string($0) }
        fields[Fields.aisle] = row[columns.index(of: .aisle)].map { .string($0) }
        if let mark = row[columns.index(of: .mark)] { isMarkedOff = CSVColumns.isMark(mark) }
    }
}

extension CSVColumns {
    /// The columns with values that a list can't represent.
    fileprivate func leftOut(of rows: ArraySlice<CSVTable.Row>) -> [String] {
        names.indices.filter { column in meanings[column] == nil && rows.contains { $0[column] != nil } }
            .map { names[$0] }
    }
}

extension String {
    private static let formulas: [Character] = ["=", "+", "-", "@", "\t", "\r"]

    private var looksLikeFormula: Bool { drop { $0 == "'" }.first.map { Self.formulas.contains($0) } ?? false }

    /// The text with an apostrophe in front if a spreadsheet would run it as a formula. Other people may have written it.
    fileprivate var defused: String { looksLikeFormula ? "'" + self : self }

    /// The text without that apostrophe.
    fileprivate var armed: String { first == "'" && looksLikeFormula ? String(dropFirst()) : self }
}
