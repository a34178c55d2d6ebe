import TrolleyJournal

/// Finds an item by its id, its position as `show` numbers it, its text, or a part of its text.
struct ItemName {
    let rows: [ShownRow]

    init(rows: [ShownRow]) { self.rows = rows }

    init(items: [Item]) { self.init(rows: items.map { ShownRow(item: $0) }) }

    /// - Parameter operation: the intended change; it decides between several items that match.
    /// - Throws: `.ambiguousItem`, with those that match; `.noSuchItem`; `.struckItem`.
    func find(_ name: String, for operation: Operation? = nil) throws(CommandError) -> Item {
        let found = try findRow(name, for: operation)
        if found.isStruck { throw .struckItem(found.item.text) }
        return found.item
    }

    private func findRow(_ name: String, for operation: Operation?) throws(CommandError) -> ShownRow {
        if let id = ItemID(name) {
            guard let row = rows.first(where: { $0.item.id == id }) else { throw .noSuchItem(name) }
            return row
        }
        switch rows.choose(name, for: operation, isNumbered: true) {
        case .item(let index): return rows[index]
        case .ambiguous(let candidates):
            throw .ambiguousItem(name, candidates.map { ItemCandidate(position: $0 + 1, item: rows[$0].item) })
        case .noMatch: throw .noSuchItem(name)
        }
    }
}

extension Console {
    /// Finds an item. In a terminal, asks which item is meant if several match.
    func find(
        _ name: String, among rows: [ShownRow], for operation: Operation? = nil
    ) throws(CommandError) -> Item {
        do {
            return try ItemName(rows: rows).find(name, for: operation)
        } catch .ambiguousItem(let name, let candidates) where !json && Terminal.canAsk {
            Terminal.warn(
                localized("Several items fit '\(name)':", de: "Mehrere Einträge passen zu „\(name)“:") + "\n"
                    + CommandError.abbreviatedList(candidates.map(\.line)))
            Terminal.hint("", localized("Which one? ", de: "Welcher? "))
            guard let answer = readLine()?.trimmed, !answer.isEmpty else { throw .ambiguousItem(name, candidates) }
            // The answer is a number of the list, or more of the item's text.
            if let number = Int(answer), let chosen = candidates.first(where: { $0.position == number }) {
                return chosen.item
            }
            let item = try ItemName(items: candidates.map(\.item)).find(answer)
            return item
        }
    }
}

/// An item that matches an ambiguous name.
struct ItemCandidate: Hashable {
    /// The position as `show` numbers it.
    var position: Int
    var item: Item

    var line: String {
        "  \(position). \(item.text)\(item.markedOff ? localized(" (marked off)", de: " (abgehakt)") : "")"
    }
}
