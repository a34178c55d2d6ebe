/// One value of a result. It keeps the result's memory alive and copies nothing.
public struct Cell: Sendable {
    let result: ResultHandle
    /// Nil for NULL. The memory belongs to `result`.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer?
    public let type: UInt32
    public let format: PostgresFormat
    let column: Int

    public var isNull: Bool { bytes == nil }

    /// The value as the server sent it; nil for NULL. The pointer is valid only inside `body`.
    public func withBytes<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        withExtendedLifetime(result) { body(bytes) }
    }

    /// A part of the value as a cell, such as an element of an array.
    func slice(_ range: Range<Int>?, type: UInt32) -> Cell {
        Cell(
            result: result, bytes: range.flatMap { range in bytes.map { UnsafeRawBufferPointer(rebasing: $0[range]) } },
            type: type, format: format, column: column)
    }

    /// The error for a value that isn't a `wanted`. It names the column and never contains the value.
    public func mismatch(_ wanted: Any.Type, _ why: String? = nil) -> PostgresError {
        let name = result.columnName(column)
        let found = isNull ? "is NULL" : why ?? "has type \(type) in \(format) format"
        return PostgresError(.decoding, "column \(column) '\(name)' \(found), and can't be decoded as \(wanted)")
    }

    /// The bytes of the value. Throws for NULL.
    func required(for wanted: Any.Type) throws(PostgresError) -> UnsafeRawBufferPointer {
        guard let bytes else { throw mismatch(wanted) }
        return bytes
    }

    /// An integer of any width.
    func integer(for wanted: Any.Type) throws(PostgresError) -> Int64 {
        let bytes = try required(for: wanted)
        return try withExtendedLifetime(result) { () throws(PostgresError) -> Int64 in
            if format == .text {
                guard let value = Int64(String(decoding: bytes, as: UTF8.self)) else { throw mismatch(wanted) }
                return value
            }
            switch (type, bytes.count) {
            case (PostgresType.int8.oid, 8): return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case (PostgresType.int4.oid, 4): return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case (PostgresType.int2.oid, 2): return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            case (PostgresType.oid.oid, 4): return Int64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
            default: throw mismatch(wanted)
            }
        }
    }
}
