/// The 16 bytes of a `uuid`, most significant first.
package struct PostgresUUID: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A point in time with the resolution of `timestamptz`: microseconds.
package struct PostgresTimestamp: Hashable, Comparable, Sendable {
    package var microsecondsSince1970: Int64

    package init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.microsecondsSince1970 < rhs.microsecondsSince1970
    }

    /// PostgreSQL counts from 2000-01-01 UTC.
    @inlinable static var postgresEpoch: Int64 { 946_684_800_000_000 }
}

/// JSON text, bound as `json`. To read either kind of JSON, decode a `String`.
package struct PostgresJSON: Hashable, Sendable {
    package var text: String
    package init(_ text: String) { self.text = text }
}

/// JSON text, bound as `jsonb`.
package struct PostgresJSONB: Hashable, Sendable {
    package var text: String
    package init(_ text: String) { self.text = text }
}

/// A value of any type in the server's text format. The server infers the type. For intervals, numerics and enums.
package struct PostgresText: Hashable, Sendable {
    package var text: String
    package init(_ text: String) { self.text = text }
}
