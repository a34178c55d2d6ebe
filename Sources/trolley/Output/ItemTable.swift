import TrolleyJournal

/// A list's items, for a person.
struct ItemTable {
    let items: [Item]
    let terminal: Terminal

    /// In a terminal a table, as wide as that; else one plain line an item.
    func lines(width: Int? = nil) -> [String] {
        guard terminal.isTerminal || width != nil else {
            let digits = String(items.count).count
            return items.enumerated().map { $1.line(at: $0 + 1, width: digits, terminal) }
        }
        let digits = String(items.count).count
        let rows = items.enumerated().map { index, item in
            let number = String(index + 1)
            return [
                String(repeating: " ", count: digits - number.count) + number + ".", item.markedOff ? "✓" : "·",
                item.text, item.fields[Fields.quantity]?.string ?? "", item.fields[Fields.aisle]?.string ?? "",
                item.fields[Fields.note]?.string ?? "",
            ]
        }
        let lines = Table(rows, yielding: 2).lines(width: width ?? Terminal.size.columns)
        return zip(items, lines).map { $0.markedOff ? terminal.dim($1) : $1 }
    }
}
