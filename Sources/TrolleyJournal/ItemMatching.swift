extension [Item] {
    /// The items that a person may mean by a text, as indices in list order. The first of these rules that finds any
    /// counts: items with exactly this text; items with a word that begins with it; items that contain it; items whose
    /// text differs by one typing error. A number must match a whole text.
    public func matching(_ text: String) -> [Int] {
        let wanted = text.lowercased()
        if wanted.isEmpty { return [] }
        var fits: [(String) -> Bool] = [{ $0 == wanted }]
        // As on any other platform, also where an `Int` has 32 bits.
        if Int64(text) == nil {
            fits += [
                { $0.hasPrefix(wanted) || $0.split(separator: " ").contains { $0.hasPrefix(wanted) } },
                { $0.containsCharacters(of: wanted) },
                { wanted.count > 3 && $0.isWithinOneEdit(of: wanted) },
            ]
        }
        let texts = map { $0.text.lowercased() }
        for fit in fits {
            let found = texts.indices.filter { fit(texts[$0]) }
            if !found.isEmpty { return found }
        }
        return []
    }
}

extension String {
    /// Whether the characters of `other`, which is not empty, stand in it side by side. Embedded Swift lacks
    /// `contains(_: some Collection)`.
    fileprivate func containsCharacters(of other: String) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }

    /// Whether one character was left out, added or replaced.
    func isWithinOneEdit(of other: String) -> Bool {
        let (left, right) = (Array(self), Array(other))
        guard abs(left.count - right.count) <= 1 else { return false }
        let same = zip(left, right).prefix { $0 == $1 }.count
        let (leftRest, rightRest) = (left.dropFirst(same), right.dropFirst(same))
        return leftRest.dropFirst() == rightRest || leftRest == rightRest.dropFirst()
            || leftRest.dropFirst() == rightRest.dropFirst()
    }
}
