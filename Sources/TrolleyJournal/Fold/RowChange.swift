/// One step from a list's previous rows to its present rows, for animated user interfaces. Steps apply in order; each
/// index refers to the rows that the previous step left.
public enum RowChange: Hashable, Sendable {
    case removed(at: Int)
    /// The row is removed at `from` and inserted again, so that it then stands at `to`.
    case moved(from: Int, to: Int)
    case inserted(ShownRow, at: Int)
    /// The row's content changed, or it was struck through; the item is the same.
    case changed(ShownRow, at: Int)
}

extension [ShownRow] {
    /// The steps that lead from these rows to others. Each row that is removed, inserted or changed has one step, and
    /// as few rows as possible move. Rows are identified by the ids of their items, which must be unique.
    public func changes(to rows: [ShownRow]) -> [RowChange] {
        var places: [ItemID: Int] = [:]
        // Backwards, so that of an id that were there twice the first counted.
        for place in rows.indices.reversed() { places[rows[place].id] = place }
        var changes = indices.reversed().filter { places[self[$0].id] == nil }.map { RowChange.removed(at: $0) }

        // From here on, a row that stays is identified by its final place.
        let staying = compactMap { places[$0.id] }
        changes += staying.moves().map { .moved(from: $0.from, to: $0.to) }

        var before: [ShownRow?] = Array<ShownRow?>(repeating: nil, count: rows.count)
        for row in self { if let place = places[row.id] { before[place] = row } }
        for place in rows.indices where before[place] == nil { changes.append(.inserted(rows[place], at: place)) }
        for place in rows.indices {
            if let row = before[place], row != rows[place] { changes.append(.changed(rows[place], at: place)) }
        }
        return changes
    }

    /// Applies a step. The step must have been made for these rows.
    public mutating func apply(_ change: RowChange) {
        switch change {
        case .removed(let index): remove(at: index)
        case .moved(let from, let to): insert(remove(at: from), at: to)
        case .inserted(let row, let index): insert(row, at: index)
        case .changed(let row, let index): self[index] = row
        }
    }
}
