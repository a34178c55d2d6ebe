extension Bool: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .bool }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.append(self ? 1 : 0) }
}

extension Int16: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .int2 }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int32: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .int4 }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int64: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .int8 }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .int8 }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(Int64(self)) }
}

extension Double: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .float8 }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(bitPattern) }
}

extension String: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .text }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: utf8) }
}

/// A single `UInt8` is a `"char"`; an array is a `bytea`.
extension UInt8: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .char }
    @inlinable public static var postgresArrayType: PostgresType { .bytea }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.append(self) }
    @inlinable public static func encodeArray(_ elements: [UInt8], into buffer: inout [UInt8]) {
        buffer.append(contentsOf: elements)
    }
}

extension PostgresUUID: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .uuid }
    @inlinable public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(high)
        buffer.appendBigEndian(low)
    }
}

extension PostgresTimestamp: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .timestamptz }
    @inlinable public func encode(into buffer: inout [UInt8]) {
        // Out of range only in 290,000 years. The server rejects a value that wraps.
        buffer.appendBigEndian(microsecondsSince1970 &- Self.postgresEpoch)
    }
}

extension PostgresJSON: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .json }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: text.utf8) }
}

extension PostgresJSONB: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .jsonb }
    @inlinable public func encode(into buffer: inout [UInt8]) {
        buffer.append(1)  // jsonb_recv: the version of the format, so far always 1
        buffer.append(contentsOf: text.utf8)
    }
}

extension PostgresText: PostgresEncodable {
    @inlinable public static var postgresType: PostgresType { .unspecified }
    @inlinable public static var postgresFormat: PostgresFormat { .text }
    @inlinable public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: text.utf8) }
}
