extension Bool: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Bool {
        let bytes = try cell.required(for: Bool.self)
        guard cell.type == PostgresType.bool.oid, bytes.count == 1 else { throw cell.mismatch(Bool.self) }
        return cell.withBytes { _ in bytes[0] == 1 || bytes[0] == UInt8(ascii: "t") }
    }
}

extension Int16: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Int16 {
        guard let value = Int16(exactly: try cell.integer(for: Int16.self)) else {
            throw cell.mismatch(Int16.self, "is out of range")
        }
        return value
    }
}

extension Int32: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Int32 {
        guard let value = Int32(exactly: try cell.integer(for: Int32.self)) else {
            throw cell.mismatch(Int32.self, "is out of range")
        }
        return value
    }
}

extension Int64: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Int64 {
        try cell.integer(for: Int64.self)
    }
}

extension Int: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Int {
        Int(try cell.integer(for: Int.self))
    }
}

extension Double: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> Double {
        let bytes = try cell.required(for: Double.self)
        let value: Double? = cell.withBytes { _ in
            switch (cell.format, cell.type, bytes.count) {
            case (.text, _, _): Double(String(decoding: bytes, as: UTF8.self))
            case (.binary, PostgresType.float8.oid, 8):
                Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
            case (.binary, PostgresType.float4.oid, 4):
                Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
            default: nil
            }
        }
        guard let value else { throw cell.mismatch(Double.self) }
        return value
    }
}

/// Decodes any text-like type, `json` and `jsonb`; in text format any type at all.
extension String: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> String {
        var bytes = try cell.required(for: String.self)
        if cell.format == .binary {
            switch cell.type {
            case PostgresType.text.oid, PostgresType.varchar.oid, PostgresType.name.oid, PostgresType.json.oid,
                PostgresType.unknown.oid:
                break
            case PostgresType.jsonb.oid where !bytes.isEmpty:
                bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
            default:
                throw cell.mismatch(String.self)
            }
        }
        return cell.withBytes { _ in String(decoding: bytes, as: UTF8.self) }
    }
}

/// A single `UInt8` is a `"char"`; `[UInt8]` is a `bytea`.
extension UInt8: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> UInt8 {
        let bytes = try cell.required(for: UInt8.self)
        guard cell.type == PostgresType.char.oid, bytes.count == 1 else { throw cell.mismatch(UInt8.self) }
        return cell.withBytes { _ in bytes[0] }
    }

    public static func decodeArray(_ cell: Cell) throws(PostgresError) -> [UInt8] {
        let bytes = try cell.required(for: [UInt8].self)
        guard cell.type == PostgresType.bytea.oid, cell.format == .binary else { throw cell.mismatch([UInt8].self) }
        return cell.withBytes { _ in Array(bytes) }
    }
}

extension PostgresUUID: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> PostgresUUID {
        let bytes = try cell.required(for: PostgresUUID.self)
        guard cell.type == PostgresType.uuid.oid, cell.format == .binary, bytes.count == 16 else {
            throw cell.mismatch(PostgresUUID.self)
        }
        return cell.withBytes { _ in
            PostgresUUID(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}

extension PostgresTimestamp: PostgresDecodable {
    public static func decode(_ cell: Cell) throws(PostgresError) -> PostgresTimestamp {
        let bytes = try cell.required(for: PostgresTimestamp.self)
        guard cell.type == PostgresType.timestamptz.oid, cell.format == .binary, bytes.count == 8 else {
            throw cell.mismatch(PostgresTimestamp.self)
        }
        let value = cell.withBytes { _ in Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) }
        let (sum, overflow) = value.addingReportingOverflow(PostgresTimestamp.postgresEpoch)
        // The server sends 'infinity' and '-infinity' as the ends of Int64.
        guard !overflow, value != .min else { throw cell.mismatch(PostgresTimestamp.self, "is infinite") }
        return PostgresTimestamp(microsecondsSince1970: sum)
    }
}
