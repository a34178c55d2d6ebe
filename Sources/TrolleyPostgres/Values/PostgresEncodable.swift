/// A value that can be bound to a `$n` parameter.
public protocol PostgresEncodable: Sendable {
    /// The parameter's type as sent to the server.
    static var postgresType: PostgresType { get }
    /// The type of `[Self]`. By default the array of `postgresType`.
    static var postgresArrayType: PostgresType { get }
    static var postgresFormat: PostgresFormat { get }

    /// True for NULL; `encode` is not called then.
    var isPostgresNull: Bool { get }
    /// Appends the value in `postgresFormat`, without its length.
    func encode(into buffer: inout [UInt8])
    /// Appends all of `elements` as one value of `postgresArrayType`.
    static func encodeArray(_ elements: [Self], into buffer: inout [UInt8])
}

extension PostgresEncodable {
    @inlinable public static var postgresArrayType: PostgresType { postgresType.array }
    @inlinable public static var postgresFormat: PostgresFormat { .binary }
    @inlinable public var isPostgresNull: Bool { false }

    // Inlinable, so that the compiler specialises it for each type instead of dispatching for each element.
    @inlinable
    public static func encodeArray(_ elements: [Self], into buffer: inout [UInt8]) {
        // Layout of array_send: dimensions, a flag for NULLs, element type; then length and lower bound.
        buffer.appendBigEndian(Int32(elements.isEmpty ? 0 : 1))
        let flag = buffer.count
        buffer.appendBigEndian(Int32(0))
        buffer.appendBigEndian(postgresType.oid)
        if elements.isEmpty { return }
        buffer.appendBigEndian(Int32(elements.count))
        buffer.appendBigEndian(Int32(1))
        for element in elements {
            let start = buffer.count
            buffer.appendBigEndian(Int32(-1))
            if element.isPostgresNull {
                buffer[flag + 3] = 1
                continue
            }
            element.encode(into: &buffer)
            buffer.replaceBigEndian(Int32(buffer.count - start - 4), at: start)
        }
    }
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    @inlinable
    public mutating func appendBigEndian(_ integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    @inlinable
    mutating func replaceBigEndian(_ integer: Int32, at offset: Int) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { bytes in
            for (index, byte) in bytes.enumerated() { self[offset + index] = byte }
        }
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { Wrapped.postgresType }
    @inlinable public static var postgresArrayType: PostgresType { Wrapped.postgresArrayType }
    @inlinable public static var postgresFormat: PostgresFormat { Wrapped.postgresFormat }
    @inlinable public var isPostgresNull: Bool { self?.isPostgresNull ?? true }

    @inlinable
    public func encode(into buffer: inout [UInt8]) {
        self?.encode(into: &buffer)
    }
}

/// One dimension. `[UInt8]` is `bytea`, and `[[UInt8]]` is `bytea[]`.
extension Array: PostgresEncodable where Element: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { Element.postgresArrayType }

    @inlinable
    public func encode(into buffer: inout [UInt8]) {
        Element.encodeArray(self, into: &buffer)
    }
}
