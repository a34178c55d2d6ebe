import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// A state of a share that a list's stream has.
struct RecordedShare {
    let sequence: SequenceNumber
    let state: ShareState
    /// The state that is stored whole and on which this one is based; nil: none that later ones may be based on.
    let base: SequenceNumber?
    /// The number of differences since the base.
    let differences: Int

    /// A longer state is stored as the difference from the state before. A shorter one takes no more than many entries
    /// do, and is sent without being put together.
    static let largestWhole = 2 << 10
    /// Maximum number of differences after a state that is stored whole, and so of rows that reading one state takes.
    static let mostDifferences = 63
    /// The largest number of bytes that the states of one list's share take. Then nobody can be added and no permission
    /// can be changed; people can leave and be removed.
    static let bytesPerList: Int64 = 16 << 20
    /// The same for states that only show somebody's new name or picture: what people call themselves leaves room for joining
    /// and permissions.
    static let bytesPerListForNames: Int64 = bytesPerList / 4
}

/// A new state of a share, as it is stored.
struct NewShare {
    let change: Change
    let difference: ShareDifference
    /// nil: it is stored whole.
    let base: SequenceNumber?
    /// Bytes of the change as JSON.
    let bytes: Int

    init(_ share: ShareState, at sequence: SequenceNumber, after latest: RecordedShare?) {
        change = Change(sequence: sequence, body: .share(share))
        difference = ShareDifference(from: latest?.state ?? ShareState(), to: share)
        bytes = change.column.text.utf8.count
        let isSmall = bytes <= RecordedShare.largestWhole
        if let latest, let base = latest.base, !isSmall, latest.differences < RecordedShare.mostDifferences,
            difference.column.text.utf8.count < bytes / 2, difference.applied(to: latest.state) == share
        {
            self.base = base
        } else {
            base = nil
        }
    }

    /// The statement that stores it, and the bytes that it takes.
    func insert(to list: ListID) -> (query: Query, stored: Int) {
        let whole =
            base == nil ? change.column : PostgresJSON(#"{"sequence":\#(change.sequence.rawValue),"type":"share"}"#)
        let column = difference.column
        return (
            .execute(ShareSQL.insert, [list, change.sequence, whole, column, base, Int64(bytes)]),
            whole.text.utf8.count + column.text.utf8.count
        )
    }
}

extension Connection {
    /// The share's state that the list's stream recorded last; nil when it has none.
    func recordedShare(of list: ListID) async throws -> (latest: RecordedShare?, bytes: Int64) {
        guard let row = try await execute(ShareSQL.newest, [list]).first else { return (nil, 0) }
        let (known, bytes) = try row.decode((SequenceNumber?, Int64).self)
        let latest = try await known == nil ? execute(ShareSQL.latest, [list]).first?.decode(at: 0) : known
        guard let sequence = latest else { return (nil, bytes) }
        return (try await recordedShare(of: list, at: sequence), bytes)
    }

    /// The share's state that the stream has at a sequence; nil when it has none there.
    func recordedShare(of list: ListID, at sequence: SequenceNumber) async throws -> RecordedShare? {
        let rows = try await execute(ShareSQL.parts, [list, sequence])
        guard let first = rows.first, let whole = try first.decode(String?.self, at: 0),
            case .share(var state) = try Change(column: whole).body
        else { return nil }
        for row in rows.dropFirst() {
            guard let difference = try row.decode(String?.self, at: 1),
                let next = try ShareDifference(column: difference).applied(to: state)
            else { throw PostgresError(.decoding, "a state of a share doesn't follow from the state before") }
            state = next
        }
        // No state is based on one from before states had differences.
        let base = try first.decode(String?.self, at: 1) == nil ? nil : try Change(column: whole).sequence
        return RecordedShare(sequence: sequence, state: state, base: base, differences: rows.count - 1)
    }

    /// The last state before a sequence.
    func recordedShare(of list: ListID, before sequence: SequenceNumber) async throws -> RecordedShare? {
        guard let row = try await execute(ShareSQL.previous, [list, sequence]).first else { return nil }
        return try await recordedShare(of: list, at: row.decode(at: 0))
    }
}
