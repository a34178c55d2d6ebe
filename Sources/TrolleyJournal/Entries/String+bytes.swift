// Swift's `==` on String is canonical equivalence: composed and decomposed 'é' are equal. With it, a device would
// disagree with the digest, and with programs in other languages, about what has changed. So text is compared by its
// UTF-8 bytes.

extension String {
    /// Whether both have the same UTF-8 bytes.
    func hasSameBytes(as other: String) -> Bool {
        if SeededFault.isSeeded(.canonicalEquivalence) { return self == other }
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        return left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in left.elementsEqual(right) }
        }.flatMap { $0 } ?? left.elementsEqual(right)
    }

    func hashBytes(into hasher: inout Hasher) {
        hasher.combine(utf8.count)
        let hashed: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if hashed == nil { for byte in utf8 { hasher.combine(byte) } }
    }

    /// Whether this string's UTF-8 bytes sort before the other's.
    func bytesPrecede(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Optional<String> {
    func hasSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let left?, let right?): left.hasSameBytes(as: right)
        default: false
        }
    }

    func hashBytes(into hasher: inout Hasher) {
        hasher.combine(self != nil)
        self?.hashBytes(into: &hasher)
    }
}
