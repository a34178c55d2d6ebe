import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// Changes of a list as the database sent them. They are decoded only if necessary: they can be written as JSON without
/// being decoded.
package struct StoredChanges: Sendable {
    /// nil: no changes.
    private let rows: Rows?
    private var places: Range<Int>
    /// The index of the first column of ``ChangeSQL/columns`` in `rows`.
    private let column: Int
    private let reader: Role
    /// The JSON of the states of the share of which the rows have only differences, by row, as the reader may see them.
    private var states: [Int: [UInt8]] = [:]
    /// Whether the range ends before a change that is too large for it.
    private(set) var isCut = false
    /// Makes the entries' receipts, which a device gets with them; nil: they come without.
    var receipts: EntryReceipts?
    /// The memory of the rows; released with them.
    package private(set) var reservation: ReadReservation?

    static let none = StoredChanges()

    private init() {
        (rows, places, column, reader) = (nil, 0..<0, 0, .participant)
    }

    /// - Parameters:
    ///   - places: the rows, all of which have a change.
    ///   - reader: the reader's role. It decides how much of the share's states is shown.
    init(_ rows: Rows, at places: Range<Int>, column: Int, reader: Role) {
        (self.rows, self.places, self.column, self.reader) = (rows, places, column, reader)
    }

    /// Ends the range before the first change that the statement left out.
    mutating func cut() throws(PostgresError) {
        guard let rows else { return }
        let omitted = try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
            places.first { row in
                [2, 14, 15].allSatisfy { values.bytes(row: row, column: $0) == nil }
            }
        }
        guard let omitted else { return }
        places = places.lowerBound..<omitted
        isCut = true
    }

    /// The sequence of the first state of the share of which the rows have only the difference.
    func firstDifference() throws(PostgresError) -> SequenceNumber? {
        guard let rows else { return nil }
        let first = try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
            places.first { values.bytes(row: $0, column: 14) == nil && values.bytes(row: $0, column: 15) != nil }
        }
        return try first.map { row throws(PostgresError) in try rows[row].decode(at: column) }
    }

    /// Puts the states of the share together of which the rows have only differences.
    /// - Parameter first: the state at ``firstDifference()``.
    mutating func assemble(from first: ShareState) throws(PostgresError) {
        guard let rows else { return }
        var state: ShareState?
        var found: [Int: [UInt8]] = [:]
        try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
            for row in places {
                guard let difference = values.bytes(row: row, column: 15) else { continue }
                if let whole = values.bytes(row: row, column: 14) {
                    if state != nil { state = try Change(column: String(decoding: whole, as: UTF8.self)).share }
                    continue
                }
                let next =
                    if let state {
                        try ShareDifference(column: String(decoding: difference, as: UTF8.self)).applied(to: state)
                    } else {
                        first
                    }
                guard let next, let sequence = values.integer(row: row, column: 0) else {
                    throw PostgresError(.decoding, "a state of a share doesn't follow from the state before")
                }
                state = next
                var writer = JSONWriter()
                Change(sequence: SequenceNumber(rawValue: sequence), body: .share(next.shown(to: reader)))
                    .write(to: &writer)
                found[row] = writer.bytes
            }
        }
        states = found
    }

    package var count: Int { places.count }
    package var isEmpty: Bool { places.isEmpty }

    /// The bytes of the buffer in which libpq received the rows, which other changes may share, and of the states that
    /// were put together.
    var memory: Int { isEmpty ? 0 : (rows?.memory ?? 0) + states.values.reduce(0) { $0 + $1.count } }

    /// Counts the rows to a holding as long as they are in use.
    mutating func count(to reservation: ReadReservation) { self.reservation = reservation }

    /// Drops all but the first changes.
    mutating func truncate(to count: Int) { places = places.prefix(count) }

    /// The sequence of the last change, and when it was received.
    func last() throws(StoreError) -> (sequence: SequenceNumber, receivedAt: Timestamp)? {
        guard let row = places.last.flatMap({ place in rows.map { $0[place] } }) else { return nil }
        do { return (try row.decode(at: column), try row.decode(at: column + 13)) } catch { throw StoreError(error) }
    }

    /// Whether a device of this protocol version knows the operation of each entry.
    package func isReadable(by version: Int) throws(StoreError) -> Bool {
        guard version < ProtocolVersion.current, let rows else { return true }
        do {
            return try rows.withValues(of: ChangeSQL.types, from: column) { values in
                places.allSatisfy { row in
                    guard let bytes = values.bytes(row: row, column: 2), bytes.count > 0 else { return true }
                    let operation = Operation(rawValue: String(decoding: bytes, as: UTF8.self)) ?? .unknown
                    return operation.protocolVersion <= version
                }
            }
        } catch { throw StoreError(error) }
    }

    /// Decodes the changes.
    package func read() throws(StoreError) -> [Change] {
        guard let rows else { return [] }
        do {
            return try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
                var changes: [Change] = []
                changes.reserveCapacity(count)
                for row in places {
                    if let state = states[row] {
                        changes.append(try Change(column: String(decoding: state, as: UTF8.self)))
                    } else if let event = values.bytes(row: row, column: 14) {
                        changes.append(try Change(column: String(decoding: event, as: UTF8.self)).shown(to: reader))
                    } else {
                        let entry = try ConfirmedEntry(values, row: row)
                        changes.append(Change(sequence: entry.sequence, body: .entry(entry)))
                    }
                }
                return changes
            }
        } catch { throw StoreError(error) }
    }

    /// Writes some of the changes as elements of an array: the same JSON as `Change.write(to:)`.
    /// - Parameter some: indices of changes, from 0.
    package func write(_ some: Range<Int>, to writer: inout JSONWriter) throws(StoreError) {
        guard let rows else { return }
        do {
            try rows.withValues(of: ChangeSQL.types, from: column) { (values) throws(PostgresError) in
                for row in places.dropFirst(some.lowerBound).prefix(some.count) {
                    if let state = states[row] {
                        state.withUnsafeBytes { writer.raw($0) }
                    } else if let event = values.bytes(row: row, column: 14) {
                        // Stored as the owner's devices receive it. Few events hide something from participants; all
                        // others are not decoded.
                        if reader == .owner || !event.mayMentionInvited {
                            writer.raw(event)
                        } else {
                            try Change(column: String(decoding: event, as: UTF8.self)).shown(to: reader)
                                .write(to: &writer)
                        }
                    } else {
                        let entry = try StoredEntry(values, row: row)
                        if let receipts {
                            receipts.withReceipt(of: entry) { entry.writeChange(to: &writer, receipt: $0) }
                        } else {
                            entry.writeChange(to: &writer)
                        }
                    }
                }
            }
        } catch { throw StoreError(error) }
    }
}

extension Change {
    var share: ShareState? { if case .share(let share) = body { share } else { nil } }

    /// The change as a person with this role may see it.
    func shown(to role: Role) -> Change {
        guard role != .owner, case .share(let share) = body else { return self }
        return Change(sequence: sequence, body: .share(share.shown(to: role)))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the JSON contains a word that is used for people who are not on the list. A name may be such a word too.
    fileprivate var mayMentionInvited: Bool {
        contains(Self.invited) || contains(Self.declined)
    }

    private static let invited = Array(#""invited""#.utf8)
    private static let declined = Array(#""declined""#.utf8)

    private func contains(_ word: [UInt8]) -> Bool {
        guard count >= word.count else { return false }
        return (0...count - word.count).contains { start in
            self[start] == word[0] && self[start + 1] == word[1]
                && word.indices.allSatisfy { self[start + $0] == word[$0] }
        }
    }
}
