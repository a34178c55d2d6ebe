/// A type that a column can be decoded to.
public protocol PostgresDecodable {
    /// Throws `cell.mismatch(Self.self)` for a value that isn't a `Self`.
    static func decode(_ cell: Cell) throws(PostgresError) -> Self
    /// Decodes a whole array. By default it decodes each element as a cell.
    static func decodeArray(_ cell: Cell) throws(PostgresError) -> [Self]
}

extension PostgresDecodable {
    public static func decodeArray(_ cell: Cell) throws(PostgresError) -> [Self] {
        try cell.elements(of: [Self].self).map { element throws(PostgresError) in try decode(element) }
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Wrapped? {
        cell.isNull ? nil : try Wrapped.decode(cell)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> [Element] {
        try Element.decodeArray(cell)
    }
}

extension Cell {
    /// The cells of a one-dimensional array in binary format (array_recv).
    func elements(of wanted: Any.Type) throws(PostgresError) -> [Cell] {
        let bytes = try required(for: wanted)
        guard format == .binary, bytes.count >= 12 else { throw mismatch(wanted) }
        let dimensions = bytes.bigEndianInteger(at: 0)
        let elementType = UInt32(bitPattern: Int32(truncatingIfNeeded: bytes.bigEndianInteger(at: 8)))
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.count >= 20 else { throw mismatch(wanted, "has \(dimensions) dimensions") }
        var cells: [Cell] = []
        var offset = 20
        for _ in 0..<max(0, bytes.bigEndianInteger(at: 12)) {
            guard offset + 4 <= bytes.count else { throw mismatch(wanted, "is cut off") }
            let length = bytes.bigEndianInteger(at: offset)
            offset += 4
            guard length >= 0 else {
                cells.append(slice(nil, type: elementType))
                continue
            }
            guard offset + length <= bytes.count else { throw mismatch(wanted, "is cut off") }
            cells.append(slice(offset..<offset + length, type: elementType))
            offset += length
        }
        return cells
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndianInteger(at offset: Int) -> Int {
        Int(Int32(bigEndian: loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }
}
