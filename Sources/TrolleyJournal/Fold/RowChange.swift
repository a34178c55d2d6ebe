/// One step from the rows that a list showed to those that it shows now, for a user interface that lets them glide into
/// place. Steps apply in order, each to the rows that the one before has left.
public enum RowChange: Hashable, Sendable {
    case removed(at: Int)
    /// Taken out at `from`, and put in again so that it then stands at `to`.
    case moved(from: Int, to: Int)
    case inserted(Item, at: Int)
    /// What the row says is another; the item is the same.
    case changed(Item, at: Int)
}

extension [Item] {
    /// The steps that lead from these rows to others: each row that goes, comes or changes is named once, and as few move
    /// as can be. Items are known by their ids, which a list has once.
    public func changes(to rows: [Item]) -> [RowChange] {
        var places: [ItemID: Int] = [:]
        // Backwards, so that of an id that were there twice the first counted.
        for place in rows.indices.reversed() { places[rows[place].id] = place }
        var changes = indices.reversed().filter { places[self[$0].id] == nil }.map { RowChange.removed(at: $0) }

        // From here on a row that stays is known by its place in the end.
        let staying = compactMap { places[$0.id] }
        changes += staying.moves().map { .moved(from: $0.from, to: $0.to) }

        var before: [Item?] = Array<Item?>(repeating: nil, count: rows.count)
        for item in self { if let place = places[item.id] { before[place] = item } }
        for place in rows.indices where before[place] == nil { changes.append(.inserted(rows[place], at: place)) }
        for place in rows.indices {
            if let item = before[place], item != rows[place] { changes.append(.changed(rows[place], at: place)) }
        }
        return changes
    }

    /// Takes a step. It must be one that was made for these rows.
    public mutating func apply(_ change: RowChange) {
        switch change {
        case .removed(let index): remove(at: index)
        case .moved(let from, let to): insert(remove(at: from), at: to)
        case .inserted(let item, let index): insert(item, at: index)
        case .changed(let item, let index): self[index] = item
        }
    }
}

extension [Int] {
    /// The moves that sort these different numbers. Those of a longest ascent stay where they are.
    fileprivate func moves() -> [(from: Int, to: Int)] {
        let ascent = Set(longestAscending { $0 })
        guard ascent.count < count else { return [] }
        var order = self
        var moves: [(from: Int, to: Int)] = []
        var previous: Int?
        // In the order of the end: what is smaller is in its place relative to all that stay.
        for place in sorted() {
            defer { previous = place }
            if ascent.contains(place) { continue }
            guard let from = order.firstIndex(of: place) else { continue }
            order.remove(at: from)
            let to = previous.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            order.insert(place, at: to)
            if from != to { moves.append((from, to)) }
        }
        return moves
    }
}
