/// The 16 bytes of a `uuid`, most significant first.
public struct PostgresUUID: Hashable, Sendable {
    public var high: UInt64
    public var low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A point in time with the resolution of `timestamptz`: microseconds.
public struct PostgresTimestamp: Hashable, Comparable, Sendable {
    public var microsecondsSince1970: Int64

    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.microsecondsSince1970 < rhs.microsecondsSince1970
    }

    /// PostgreSQL counts from 2000-01-01 UTC.
    @inlinable static var postgresEpoch: Int64 { 946_684_800_000_000 }
}

/// JSON text, bound as `json`. To read either kind of JSON, decode a `String`.
public struct PostgresJSON: Hashable, Sendable {
    public var text: String
    public init(_ text: String) { self.text = text }
}

/// JSON text, bound as `jsonb`.
public struct PostgresJSONB: Hashable, Sendable {
    public var text: String
    public init(_ text: String) { self.text = text }
}

/// A value of any type in the server's text format. The server infers the type. For intervals, numerics and enums.
public struct PostgresText: Hashable, Sendable {
    public var text: String
    public init(_ text: String) { self.text = text }
}
