import TrolleyJournal

/// A list's rows, for a person. If any item has an aisle, the rows are grouped under the aisles' names.
struct ItemTable {
    let rows: [ShownRow]
    let terminal: Terminal

    init(rows: [ShownRow], terminal: Terminal) {
        self.rows = rows
        self.terminal = terminal
    }

    /// A table as wide as the terminal; without a terminal, one plain line per item.
    func lines(width: Int? = nil) -> [String] {
        let isTable = terminal.isTerminal || width != nil
        let width = width ?? Terminal.size.columns
        let items = isTable ? tableLines(width: width) : plainLines()
        let hasAisles = rows.contains { $0.aisle != nil }
        var lines: [String] = []
        for (index, row) in rows.enumerated() {
            let isFirstElsewhere = row.isElsewhere && (index == 0 || !rows[index - 1].isElsewhere)
            if isFirstElsewhere { lines.append(terminal.bold(localized("In other shops:", de: "In anderen Läden:"))) }
            guard hasAisles else {
                lines.append(items[index])
                continue
            }
            let heading = row.heading
            if index == 0 || isFirstElsewhere || !heading.isSameHeading(as: rows[index - 1].heading) {
                lines.append(terminal.bold(isTable ? heading.fitted(to: width) : heading))
            }
            lines.append(items[index])
        }
        return lines
    }

    private func plainLines() -> [String] {
        let digits = String(rows.count).count
        return rows.enumerated().map { index, row in
            row.item.line(at: index + 1, width: digits, terminal, isStruck: row.isStruck)
                + (row.usual.map { "  " + terminal.dim($0.words) } ?? "")
        }
    }

    private func tableLines(width: Int) -> [String] {
        let digits = String(rows.count).count
        let cells = rows.enumerated().map { index, row in
            let number = String(index + 1)
            return [
                String(repeating: " ", count: digits - number.count) + number + ".",
                row.isStruck ? "−" : row.item.markedOff ? "✓" : "·", row.item.text,
                row.item.fields[Fields.quantity]?.string ?? "", row.item.fields[Fields.note]?.string ?? "",
                row.isStruck ? localized("deleted", de: "gelöscht") : row.place ?? row.usual?.words ?? "",
            ]
        }
        let lines = Table(cells, shrinkableColumn: 2).lines(width: width)
        return zip(rows, lines).map { row, line in
            row.isStruck ? terminal.struck(line) : row.item.markedOff ? terminal.dim(line) : line
        }
    }
}

extension String {
    /// Mostly both have the same letters, which takes least time to see.
    fileprivate func isSameHeading(as other: String) -> Bool { hasSameBytes(as: other) || isSameAisle(as: other) }
}

extension ShownRow {
    /// The only shop where it is bought.
    fileprivate var place: String? { item.shop.map { localized("at \($0)", de: "bei \($0)") } }

    /// The heading of a row's aisle. Aisles that differ only in case or white space have one heading.
    fileprivate var heading: String { aisle ?? localized("(no aisle)", de: "(ohne Regal)") }
}
