extension [Item] {
    /// The items that a person may mean by a text, as indices in list order. The first of these rules that finds any
    /// counts: items with exactly this text; items with a word that begins with it; items that contain it; items whose
    /// text differs by one typing error. A number must match a whole text.
    public func matching(_ text: String) -> [Int] {
        let wanted = text.inLowerCase
        if wanted.isEmpty { return [] }
        let pattern = BytePattern(wanted)
        var fits: [(String) -> Bool] = [{ $0.hasSameBytes(as: wanted) }]
        if !text.isNumber {
            fits += [
                { pattern.beginsWord(of: $0) },
                { pattern.isPart(of: $0) },
                { wanted.scalarCount > 3 && $0.isWithinOneEdit(of: wanted) },
            ]
        }
        let texts = map { $0.text.inLowerCase }
        for fit in fits {
            let found = texts.indices.filter { fit(texts[$0]) }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The items that a person looks for by a text, as indices in list order: those whose text, note or aisle contains it;
    /// otherwise as ``matching(_:)``.
    public func found(by text: String) -> [Int] {
        let wanted = text.inLowerCase
        if wanted.isEmpty { return [] }
        let pattern = BytePattern(wanted)
        let found = indices.filter { index in
            [Fields.text, Fields.note, Fields.aisle].contains {
                self[index].fields[$0]?.string.map { pattern.isPart(of: $0.inLowerCase) } ?? false
            }
        }
        return found.isEmpty ? matching(text) : found
    }
}

extension String {
    /// Whether there are only digits, at least one, after an optional sign.
    fileprivate var isNumber: Bool {
        withBytes { bytes in
            let sign = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
            return bytes.count > sign && bytes[sign...].allSatisfy { $0.isDigit }
        }
    }

    /// Whether one Unicode scalar was left out, added or replaced.
    func isWithinOneEdit(of other: String) -> Bool {
        withBytes { left in
            other.withBytes { right in
                var same = 0
                while same < left.count, same < right.count, left[same] == right[same] { same += 1 }
                // Scalars that differ may begin with the same bytes.
                while same < left.count && left[same].continuesScalar
                    || same < right.count && right[same].continuesScalar
                {
                    same -= 1
                }
                let (leftNext, rightNext) = (left.next(after: same), right.next(after: same))
                return left.has(from: leftNext, as: right, from: same)
                    || left.has(from: same, as: right, from: rightNext)
                    || left.has(from: leftNext, as: right, from: rightNext)
            }
        }
    }

    /// The number of Unicode scalars. `unicodeScalars.count` would bring in what knows any kind of string.
    fileprivate var scalarCount: Int { withBytes { $0.count { !$0.continuesScalar } } }
}

extension UInt8 {
    /// Whether it is not the first byte of a Unicode scalar.
    fileprivate var continuesScalar: Bool { self & 0xC0 == 0x80 }
}

extension UnsafeBufferPointer<UInt8> {
    /// The place after the scalar at a place, or the end.
    fileprivate func next(after index: Int) -> Int {
        var next = Swift.min(index + 1, count)
        while next < count, self[next].continuesScalar { next += 1 }
        return next
    }

    /// Whether the bytes from a place to the end are those of another text.
    fileprivate func has(from start: Int, as other: Self, from otherStart: Int) -> Bool {
        if count - start != other.count - otherStart { return false }
        var offset = 0
        while start + offset < count, self[start + offset] == other[otherStart + offset] { offset += 1 }
        return start + offset == count
    }
}
