import TrolleyJournal
import TrolleyPostgres

/// SQL about a list's name and colour, as its row has them.
enum TitleSQL {
    static let ofList = Statement(
        name: "title_of_list", sql: "SELECT title_known, name, colour FROM list WHERE id = $1")

    // The rule of the fold: the last writer wins, by the time when the entry was made, then by its sequence. The entries
    // of one upload are reduced to one for each column before.
    private static func setIfLater(_ column: String) -> Statement {
        Statement(
            name: "title_keep_\(column)",
            sql: """
                UPDATE list
                SET \(column) = $2, \(column)_made_at = $3, \(column)_sequence = $4
                WHERE id = $1
                    AND (\(column)_sequence IS NULL OR (\(column)_made_at, \(column)_sequence) < ($3, $4))
                """)
    }

    static let setName = setIfLater("name")
    static let setColour = setIfLater("colour")

    static let known = Statement(name: "title_known", sql: "UPDATE list SET title_known = true WHERE id = $1")

    // The entry that decides the name or colour of a list whose row has none yet, because it is older than these columns. An
    // entry whose value can't be a name decides nothing.
    private static func deciding(_ column: String, _ operation: Operation) -> Statement {
        Statement(
            name: "title_deciding_\(column)",
            sql: """
                SELECT \(EntrySQL.liveColumns)
                FROM entry
                WHERE list_id = $1 AND operation = '\(operation.rawValue)'
                    AND json_typeof(coalesce(fields -> 'text', fields -> '\(column)')) IN ('string', 'null')
                ORDER BY made_at DESC, sequence DESC
                LIMIT 1
                """)
    }

    static let decidingName = deciding("name", .renameList)
    static let decidingColour = deciding("colour", .recolourList)

    static let all = [ofList, setName, setColour, known, decidingName, decidingColour]

    /// The statements that set a list's name and colour to those of appended entries: none for most uploads.
    static func updates(from entries: [ConfirmedEntry], of list: ListID) -> [Query] {
        [(Operation.renameList, setName), (.recolourList, setColour)].compactMap { operation, statement in
            let values = entries.compactMap { entry in
                entry.entry.operation == operation ? entry.entry.listValue.map { (entry, $0) } : nil
            }
            let winner = values.max {
                ($0.0.madeAt.milliseconds, $0.0.sequence) < ($1.0.madeAt.milliseconds, $1.0.sequence)
            }
            guard let (entry, value) = winner else { return nil }
            return .execute(statement, [list, Title.column(of: value), entry.madeAt, entry.sequence])
        }
    }
}

/// A list's name and colour.
struct Title: Hashable {
    let name: String?
    let colour: String?

    init(name: String? = nil, colour: String? = nil) { (self.name, self.colour) = (name, colour) }

    /// A value as it is stored.
    static func column(of value: FieldValue) -> PostgresJSON? { ([Fields.text: value] as Fields).column }

    /// - Parameter row: of ``TitleSQL/ofList``.
    fileprivate init(row: Row) throws(PostgresError) {
        name = try Fields(cell: row[1])[Fields.text]?.string
        colour = try Fields(cell: row[2])[Fields.text]?.string
    }
}

extension Connection {
    /// - Returns: nil when the list's row doesn't have them yet.
    func title(of list: ListID) async throws -> Title? {
        guard let row = try await execute(TitleSQL.ofList, [list]).first else { return Title() }
        return try row.decode(Bool.self, at: 0) ? Title(row: row) : nil
    }

    /// Reads the name and colour of a list whose row has none yet, once, and stores them. Two entries are in memory at
    /// most.
    func findTitle(of list: ListID) async throws -> Title {
        // Appending holds the same lock, and what it has appended is seen by the statements after it.
        try await execute(ListSQL.limitLockWait)
        try await execute(ListSQL.lockUnchecked, [list])
        if let title = try await title(of: list) { return title }
        let deciding = try await pipeline([
            .execute(TitleSQL.decidingName, [list]), .execute(TitleSQL.decidingColour, [list]),
        ])
        let entries = try deciding.flatMap { rows in try rows.map { try ConfirmedEntry(row: $0) } }
        _ = try await pipeline(TitleSQL.updates(from: entries, of: list) + [.execute(TitleSQL.known, [list])])
        return try await title(of: list) ?? Title()
    }
}
