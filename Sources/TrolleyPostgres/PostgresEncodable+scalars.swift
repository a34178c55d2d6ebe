extension Bool: PostgresEncodable {
    public static var postgresType: PostgresType { .bool }
    public func encode(into buffer: inout [UInt8]) { buffer.append(self ? 1 : 0) }
}

extension Int16: PostgresEncodable {
    public static var postgresType: PostgresType { .int2 }
    public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int32: PostgresEncodable {
    public static var postgresType: PostgresType { .int4 }
    public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int64: PostgresEncodable {
    public static var postgresType: PostgresType { .int8 }
    public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(self) }
}

extension Int: PostgresEncodable {
    public static var postgresType: PostgresType { .int8 }
    public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(Int64(self)) }
}

extension Double: PostgresEncodable {
    public static var postgresType: PostgresType { .float8 }
    public func encode(into buffer: inout [UInt8]) { buffer.appendBigEndian(bitPattern) }
}

extension String: PostgresEncodable {
    public static var postgresType: PostgresType { .text }
    public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: utf8) }
}

/// Alone a `"char"`; its array is `bytea`.
extension UInt8: PostgresEncodable {
    public static var postgresType: PostgresType { .char }
    public static var postgresArrayType: PostgresType { .bytea }
    public func encode(into buffer: inout [UInt8]) { buffer.append(self) }
    public static func encodeArray(_ elements: [UInt8], into buffer: inout [UInt8]) {
        buffer.append(contentsOf: elements)
    }
}

extension PostgresUUID: PostgresEncodable {
    public static var postgresType: PostgresType { .uuid }
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(high)
        buffer.appendBigEndian(low)
    }
}

extension PostgresTimestamp: PostgresEncodable {
    public static var postgresType: PostgresType { .timestamptz }
    public func encode(into buffer: inout [UInt8]) {
        // Out of range only 290,000 years from now; the server refuses what wraps.
        buffer.appendBigEndian(microsecondsSince1970 &- Self.postgresEpoch)
    }
}

extension PostgresJSON: PostgresEncodable {
    public static var postgresType: PostgresType { .json }
    public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: text.utf8) }
}

extension PostgresJSONB: PostgresEncodable {
    public static var postgresType: PostgresType { .jsonb }
    public func encode(into buffer: inout [UInt8]) {
        buffer.append(1)  // jsonb_recv: the version of the format, so far always 1
        buffer.append(contentsOf: text.utf8)
    }
}

extension PostgresText: PostgresEncodable {
    public static var postgresType: PostgresType { .unspecified }
    public static var postgresFormat: PostgresFormat { .text }
    public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: text.utf8) }
}
