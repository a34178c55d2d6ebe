public import TrolleyJournal
public import TrolleyPostgres
public import TrolleyWire

// PostgreSQL coding of the journal's types.

/// An identifier in a `uuid` column.
public protocol UUIDColumn: Identifier, PostgresEncodable, PostgresDecodable {}

extension UUIDColumn {
    public static var postgresType: PostgresType { PostgresUUID.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        PostgresUUID(high: bits.high, low: bits.low).encode(into: &buffer)
    }

    public static func decode(_ cell: Cell) throws(PostgresError) -> Self {
        let uuid = try PostgresUUID.decode(cell)
        return Self(UUIDBits(high: uuid.high, low: uuid.low))
    }
}

extension AccountID: UUIDColumn {}
extension DeviceID: UUIDColumn {}
extension ListID: UUIDColumn {}
extension ItemID: UUIDColumn {}
extension EntryID: UUIDColumn {}
extension BatchID: UUIDColumn {}
extension InvitationID: UUIDColumn {}
extension RoomID: UUIDColumn {}
extension HailID: UUIDColumn {}
extension WebhookID: UUIDColumn {}
extension DeliveryID: UUIDColumn {}
extension RegistrationID: UUIDColumn {}

/// A `bigint`.
extension SequenceNumber: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { Int64.postgresType }

    public func encode(into buffer: inout [UInt8]) { rawValue.encode(into: &buffer) }

    public static func decode(_ cell: Cell) throws(PostgresError) -> SequenceNumber {
        SequenceNumber(rawValue: try Int64.decode(cell))
    }
}

/// A `timestamptz`. Decoding drops fractions of a millisecond.
extension Timestamp: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { PostgresTimestamp.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        PostgresTimestamp(microsecondsSince1970: milliseconds * 1000).encode(into: &buffer)
    }

    public static func decode(_ cell: Cell) throws(PostgresError) -> Timestamp {
        Timestamp(try PostgresTimestamp.decode(cell))
    }

    init(_ time: PostgresTimestamp) {
        let microseconds = time.microsecondsSince1970
        self.init(milliseconds: microseconds >= 0 ? microseconds / 1000 : (microseconds - 999) / 1000)
    }
}

/// An enumeration's raw value, as `text`. An unknown value is a decoding error.
protocol TextColumn: RawRepresentable<String>, PostgresDecodable {}

extension TextColumn {
    static func decode(_ cell: Cell) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try String.decode(cell)) else { throw cell.mismatch(Self.self) }
        return value
    }
}
