/// Rows of cells in aligned columns, no wider than the terminal.
struct Table {
    /// All rows have the same number of cells.
    var rows: [[String]]
    /// The column that shrinks when the table is too wide.
    var shrinkableColumn: Int
    /// The space between two columns.
    private let gap = 2

    init(_ rows: [[String]], shrinkableColumn: Int) {
        self.rows = rows
        self.shrinkableColumn = shrinkableColumn
    }

    /// The rows as lines. Empty columns are left out.
    func lines(width: Int) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        var widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
        }
        let shown = widths.indices.filter { widths[$0] > 0 }
        let excess = shown.reduce(gap * max(0, shown.count - 1)) { $0 + widths[$1] } - width
        if excess > 0, widths.indices.contains(shrinkableColumn) {
            widths[shrinkableColumn] = max(8, widths[shrinkableColumn] - excess)
        }
        return rows.map { row in
            let cells = shown.map { column in
                column == shown.last
                    ? row[column].fitted(to: widths[column]) : row[column].padded(to: widths[column])
            }
            return cells.joined(separator: String(repeating: " ", count: gap)).fitted(to: width)
        }
    }
}
