import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// Changes of a list as the database sent them. They are read when somebody wants to know them; to pass them on, they are
/// written as JSON without being read.
public struct StoredChanges: Sendable {
    /// nil: none.
    private let rows: Rows?
    private var places: Range<Int>
    /// Where in `rows` the columns of ``ChangeSQL/columns`` begin.
    private let column: Int

    static let none = StoredChanges()

    private init() {
        (rows, places, column) = (nil, 0..<0, 0)
    }

    /// - Parameter places: the rows, all of which have a change.
    init(_ rows: Rows, at places: Range<Int>, column: Int) {
        (self.rows, self.places, self.column) = (rows, places, column)
    }

    public var count: Int { places.count }
    public var isEmpty: Bool { places.isEmpty }

    /// Leaves only the first changes.
    mutating func truncate(to count: Int) { places = places.prefix(count) }

    /// The place of the last change, and when it was received.
    func last() throws(StoreError) -> (sequence: SequenceNumber, receivedAt: Timestamp)? {
        guard let row = places.last.flatMap({ place in rows.map { $0[place] } }) else { return nil }
        do { return (try row.decode(at: column), try row.decode(at: column + 13)) } catch { throw StoreError(error) }
    }

    /// The changes themselves.
    public func read() throws(StoreError) -> [Change] {
        guard let rows else { return [] }
        do {
            return try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
                var changes: [Change] = []
                changes.reserveCapacity(count)
                for row in places {
                    if let event = values.bytes(row: row, column: 14) {
                        changes.append(try Change(column: String(decoding: event, as: UTF8.self)))
                    } else {
                        let entry = try ConfirmedEntry(values, row: row)
                        changes.append(Change(sequence: entry.sequence, body: .entry(entry)))
                    }
                }
                return changes
            }
        } catch { throw StoreError(error) }
    }

    /// Writes some of the changes as elements of an array: the JSON that `Change.write(to:)` writes.
    /// - Parameter some: counted from 0.
    public func write(_ some: Range<Int>, to writer: inout JSONWriter) throws(StoreError) {
        guard let rows else { return }
        do {
            try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
                for row in places.dropFirst(some.lowerBound).prefix(some.count) {
                    if let event = values.bytes(row: row, column: 14) {
                        // Kept as devices get it.
                        writer.raw(event)
                    } else {
                        try StoredEntry(values, row: row).writeChange(to: &writer)
                    }
                }
            }
        } catch { throw StoreError(error) }
    }
}
