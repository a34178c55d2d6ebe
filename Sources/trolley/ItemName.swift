import TrolleyJournal

/// Finds what a person means by a name: an id, a position as `show` numbers them, or a text, or some of it.
struct ItemName {
    let items: [Item]

    /// - Parameter likely: which items the command makes sense for; it decides between several that fit.
    func find(_ name: String, likely: (Item) -> Bool = { _ in true }) throws(CommandError) -> Item {
        if let id = ItemID(name) {
            guard let item = items.first(where: { $0.id == id }) else { throw .noSuchItem(name) }
            return item
        }
        let wanted = name.lowercased()
        var candidates = items.indices.filter { items[$0].text.lowercased() == wanted }
        if let position = Int(name), items.indices.contains(position - 1), !candidates.contains(position - 1) {
            candidates.append(position - 1)
        }
        let looser: [(String) -> Bool] = [
            { $0.hasPrefix(wanted) },
            { $0.split(separator: " ").contains { $0.hasPrefix(wanted) } },
            { $0.contains(wanted) },
            { wanted.count > 3 && $0.isOneSlip(from: wanted) },
        ]
        for fits in looser where candidates.isEmpty && !wanted.isEmpty && Int(name) == nil {
            candidates = items.indices.filter { fits(items[$0].text.lowercased()) }
        }
        guard !candidates.isEmpty else { throw .noSuchItem(name) }
        let likelier = candidates.filter { likely(items[$0]) }
        if likelier.count == 1 { return items[likelier[0]] }
        guard candidates.count == 1 else {
            throw .ambiguousItem(name, candidates.sorted().map { "  \($0 + 1). \(items[$0].text)" })
        }
        return items[candidates[0]]
    }
}

extension String {
    /// Whether one character was left out, put in, or mistaken.
    func isOneSlip(from other: String) -> Bool {
        let (left, right) = (Array(self), Array(other))
        guard abs(left.count - right.count) <= 1 else { return false }
        let same = zip(left, right).prefix { $0 == $1 }.count
        let (leftRest, rightRest) = (left.dropFirst(same), right.dropFirst(same))
        return leftRest.dropFirst() == rightRest || leftRest == rightRest.dropFirst()
            || leftRest.dropFirst() == rightRest.dropFirst()
    }
}
