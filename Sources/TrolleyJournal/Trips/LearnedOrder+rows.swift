extension [ShownRow] {
    /// The rows grouped by aisle like ``byAisle(_:)``, and in the learned order within each aisle. Aisles that the list's
    /// order doesn't have are in the learned order, too. Rows without a place follow the row that they follow in list order.
    /// - Parameter order: the list's order of aisles, which goes before the learned order.
    public func byAisle(_ order: [String], learned: LearnedOrder) -> [ShownRow] {
        var rows = self
        for index in rows.indices { rows[index].usual = learned.places[rows[index].item.text.itemKey]?.usual }
        let (groups, given) = rows.aisleGroups(order)
        func place(_ row: ShownRow) -> Int? { learned.places[row.item.text.itemKey]?.share }
        let sorted = groups.map { $0.sortedByPlace { place($0) } }
        let others = sorted[given...].dropLast()
            .map { group in (group, group.compactMap { place($0) }.lowerMedian) }
            .sortedByPlace { $0.1 }
        var result: [ShownRow] = []
        for group in sorted.prefix(given) { result += group }
        for group in others { result += group.0 }
        return result + (sorted.last ?? [])
    }
}

extension Array {
    /// Sorts by place. Elements without a place stay behind the element before them, or at the beginning. Elements of the
    /// same place keep their order.
    fileprivate func sortedByPlace(_ place: (Element) -> Int?) -> [Element] {
        var runs: [(place: Int, index: Int, elements: [Element])] = []
        for element in self {
            if let place = place(element) {
                runs.append((place, runs.count, [element]))
            } else if runs.isEmpty {
                runs.append((.min, 0, [element]))
            } else {
                runs[runs.count - 1].elements.append(element)
            }
        }
        runs.sort { $0.place == $1.place ? $0.index < $1.index : $0.place < $1.place }
        var sorted: [Element] = []
        for run in runs { sorted += run.elements }
        return sorted
    }
}

extension [Int] {
    /// nil if there are none.
    fileprivate var lowerMedian: Int? { isEmpty ? nil : sorted()[(count - 1) / 2] }
}
