import TrolleyJournal
import TrolleyPostgres

/// SQL about the archive's monthly partitions.
enum PartitionSQL {
    // "archive", as a number. A process that creates or drops months holds it until its transaction ends.
    static let lock = Statement(name: "partition_lock", sql: "SELECT pg_advisory_xact_lock(27430510180038245)")

    /// The existing months, by their tables' names.
    static let existing = Statement(
        name: "partition_existing",
        sql: """
            SELECT month.relname::text
            FROM pg_inherits
            JOIN pg_class AS month ON month.oid = pg_inherits.inhrelid
            WHERE pg_inherits.inhparent = 'archived_entry'::regclass
            ORDER BY month.relname
            """)

    static let activityFrom = Statement(
        name: "partition_activity_from", sql: "SELECT nullif(activity_from, '-infinity') FROM service")

    static let retain = Statement(
        name: "partition_retain", sql: "UPDATE service SET activity_from = greatest(activity_from, $1)")

    static let all = [lock, existing, activityFrom, retain]
}

/// A calendar month in UTC.
struct Month: Hashable, Comparable, Sendable {
    private let number: Int

    init(_ time: Timestamp) {
        let text = time.description
        number = (Int(text.prefix(4)) ?? 1970) * 12 + (Int(text.dropFirst(5).prefix(2)) ?? 1) - 1
    }

    /// - Parameter table: such as `archived_entry_2026_11`.
    init?(table: String) {
        let parts = table.split(separator: "_").suffix(2).compactMap { Int($0) }
        guard parts.count == 2, (1...12).contains(parts[1]) else { return nil }
        number = parts[0] * 12 + parts[1] - 1
    }

    private init(number: Int) { self.number = number }

    var next: Month { Month(number: number + 1) }
    var start: Timestamp { Timestamp("\(text("-"))-01T00:00:00Z") ?? Timestamp(milliseconds: .max) }
    var table: String { "archived_entry_\(text("_"))" }

    private func text(_ separator: String) -> String {
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return padded(number / 12, 4) + separator + padded(number % 12 + 1, 2)
    }

    static func < (left: Month, right: Month) -> Bool { left.number < right.number }

    // Creates a table and attaches it. Creating it as a partition would take a lock that blocks readers.
    fileprivate var creation: [String] {
        [
            "CREATE TABLE \(table) (LIKE archived_entry INCLUDING ALL)",
            "ALTER TABLE archived_entry ATTACH PARTITION \(table) FOR VALUES FROM ('\(start)') TO ('\(next.start)')",
        ]
    }
}

extension Connection {
    /// Creates the missing months that are about to be written to and are within the retention. Runs in the caller's
    /// transaction.
    func ensureMonths(of times: some Swift.Sequence<Timestamp>) async throws {
        var wanted = Set(times.lazy.map(Month.init))
        guard !wanted.isEmpty else { return }
        let answers = try await pipeline([.execute(PartitionSQL.activityFrom), .execute(PartitionSQL.existing)])
        if let from = try answers[0][0].decode(Timestamp?.self, at: 0) {
            wanted = wanted.filter { $0 >= Month(from) }
        }
        wanted.subtract(try answers[1].months)
        guard !wanted.isEmpty else { return }
        try await execute(PartitionSQL.lock)
        wanted.subtract(try await execute(PartitionSQL.existing).months)
        for month in wanted.sorted() {
            for command in month.creation { try await run(script: command) }
        }
    }

    /// - Returns: the existing months.
    func months() async throws -> Set<Month> { try await execute(PartitionSQL.existing).months }
}

extension Rows {
    fileprivate var months: Set<Month> {
        get throws(PostgresError) {
            var months: Set<Month> = []
            for row in self { if let month = Month(table: try row.decode(String.self, at: 0)) { months.insert(month) } }
            return months
        }
    }
}
