// Swift's `==` on String is canonical equivalence: composed and decomposed 'é' are equal. With it, a device would
// disagree with the digest, and with programs in other languages, about what has changed. So text is compared by its
// UTF-8 bytes.

extension String {
    /// Whether both have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        WorkCounter.step()
        if SeededFault.isSeeded(.canonicalEquivalence) { return self == other }
        return withBytes { left in
            other.withBytes { right in left.count == right.count && left.elementsEqual(right) }
        }
    }

    func hashBytes(into hasher: inout Hasher) {
        #if SeededFaults
            // A dictionary whose equal keys have other hashes ends the program, now and then.
            if SeededFault.isSeeded(.canonicalEquivalence) { return hasher.combine(self) }
        #endif
        withBytes { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Whether this string's UTF-8 bytes sort before the other's.
    package func bytesPrecede(_ other: String) -> Bool {
        WorkCounter.step()
        return withBytes { left in other.withBytes { right in left.lexicographicallyPrecedes(right) } }
    }

    /// Whether the bytes begin with the other's.
    package func begins(with other: String) -> Bool { withBytes { bytes in other.withBytes { bytes.has($0, at: 0) } } }

    /// Calls `body` with the UTF-8 bytes, which are copied only where they don't lie side by side.
    @inline(__always) package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        #if hasFeature(Embedded)
            // Here they always do. `withUTF8` would bring in what can copy any kind of string.
            guard let result = utf8.withContiguousStorageIfAvailable(body) else { preconditionFailure() }
            return result
        #else
            var text = self
            return text.withUTF8(body)
        #endif
    }

    /// The texts one after the other. Interpolation would bring in what can append any kind of string.
    package init(joining texts: String...) {
        var bytes: [UInt8] = []
        for text in texts { text.withBytes { bytes.append(contentsOf: $0) } }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the other bytes stand in these from `index` on.
    func has(_ other: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        index + other.count <= count
            && UnsafeBufferPointer(rebasing: self[index..<index + other.count]).elementsEqual(other)
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// The case of this name. Unlike `init(rawValue:)` it compares bytes, so that the module does without Unicode's tables.
    package init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else { return nil }
        self = known
    }
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
