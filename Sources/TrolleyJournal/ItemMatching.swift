extension [Item] {
    /// The items that a person may mean by a text, as indices in list order. The first of these rules that finds any
    /// counts: items with exactly this text; items with a word that begins with it; items that contain it; items whose
    /// text differs by one typing error. A number must match a whole text.
    public func matching(_ text: String) -> [Int] {
        let wanted = text.inLowerCase
        if wanted.isEmpty { return [] }
        var fits: [(String) -> Bool] = [{ $0.hasSameBytes(as: wanted) }]
        if !text.isNumber {
            fits += [
                { $0.hasWord(beginningWith: wanted) },
                { $0.containsBytes(of: wanted) },
                { wanted.scalars.count > 3 && $0.isWithinOneEdit(of: wanted) },
            ]
        }
        let texts = map { $0.text.inLowerCase }
        for fit in fits {
            let found = texts.indices.filter { fit(texts[$0]) }
            if !found.isEmpty { return found }
        }
        return []
    }
}

extension String {
    /// Whether the bytes of `other`, which is not empty, stand in it side by side. Embedded Swift lacks
    /// `contains(_: some Collection)`.
    fileprivate func containsBytes(of other: String) -> Bool {
        withBytes { bytes in other.withBytes { other in bytes.indices.contains { bytes.has(other, at: $0) } } }
    }

    /// Whether there are only digits, at least one, after an optional sign.
    fileprivate var isNumber: Bool {
        withBytes { bytes in
            let sign = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
            return bytes.count > sign && bytes[sign...].allSatisfy { $0.isDigit }
        }
    }

    /// The Unicode scalars. `Array(unicodeScalars)` would count them first, which costs the module three times the code.
    fileprivate var scalars: [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        for scalar in unicodeScalars { scalars.append(scalar) }
        return scalars
    }

    /// Whether one Unicode scalar was left out, added or replaced.
    func isWithinOneEdit(of other: String) -> Bool {
        let (left, right) = (scalars, other.scalars)
        guard abs(left.count - right.count) <= 1 else { return false }
        let same = zip(left, right).prefix { $0 == $1 }.count
        let (leftRest, rightRest) = (left.dropFirst(same), right.dropFirst(same))
        return leftRest.dropFirst() == rightRest || leftRest == rightRest.dropFirst()
            || leftRest.dropFirst() == rightRest.dropFirst()
    }
}
