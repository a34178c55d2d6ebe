import TrolleyJournal

/// Finds an item by its id, its position as `show` numbers it, its text, or a part of its text.
struct ItemName {
    let rows: [ShownRow]
    private var items: [Item] { rows.map(\.item) }

    init(rows: [ShownRow]) { self.rows = rows }

    init(items: [Item]) { self.init(rows: items.map { ShownRow(item: $0) }) }

    /// - Parameter likely: which items the command makes sense for; it decides between several that fit.
    /// - Throws: `.ambiguousItem`, with those that fit; `.noSuchItem`.
    func find(_ name: String, isPreferred: (Item) -> Bool = { _ in true }) throws(CommandError) -> Item {
        let found = try findRow(name, isPreferred: isPreferred)
        if found.isStruck { throw .struckItem(found.item.text) }
        return found.item
    }

    private func findRow(_ name: String, isPreferred: (Item) -> Bool) throws(CommandError) -> ShownRow {
        let items = items
        if let id = ItemID(name) {
            guard let row = rows.first(where: { $0.item.id == id }) else { throw .noSuchItem(name) }
            return row
        }
        var candidates = items.matching(name)
        // What is deleted is only meant where nothing else is.
        if candidates.contains(where: { !rows[$0].isStruck }) { candidates.removeAll { rows[$0].isStruck } }
        if let position = Int(name), items.indices.contains(position - 1), !candidates.contains(position - 1) {
            candidates.append(position - 1)
        }
        guard !candidates.isEmpty else { throw .noSuchItem(name) }
        let likelier = candidates.filter { isPreferred(items[$0]) }
        if likelier.count == 1 { return rows[likelier[0]] }
        guard candidates.count == 1 else {
            throw .ambiguousItem(
                name, candidates.sorted().map { ItemCandidate(position: $0 + 1, item: items[$0]) })
        }
        return rows[candidates[0]]
    }
}

extension Console {
    /// Finds an item. In a terminal, asks which item is meant if several match.
    func find(
        _ name: String, among rows: [ShownRow], isPreferred: (Item) -> Bool = { _ in true }
    ) throws(CommandError) -> Item {
        do {
            return try ItemName(rows: rows).find(name, isPreferred: isPreferred)
        } catch .ambiguousItem(let name, let candidates) where !json && Terminal.canAsk {
            Terminal.warn("Several items fit '\(name)':\n" + CommandError.abbreviatedList(candidates.map(\.line)))
            Terminal.hint("Which one? ")
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

    var line: String { "  \(position). \(item.text)\(item.markedOff ? " (marked off)" : "")" }
}
