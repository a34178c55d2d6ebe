import TrolleyMigrations

/// What a backup file has, by its table of contents, which `pg_restore --list` prints. Decided before anything of the
/// file runs.
enum BackupContents: Equatable {
    /// A backup of Trolley with this number of tables.
    case backup(tables: Int)
    /// Tables that every backup has are missing.
    case incomplete
    /// The file has an object that Trolley's schema doesn't have, so somebody else made or changed it.
    case foreign(String)

    /// - Parameter lines: the table of contents, without comments: `215; 1259 16386 TABLE public account trolley`.
    init(_ lines: [String]) {
        var tables: Set<Substring> = []
        for line in lines {
            guard let object = Object(line) else {
                self = .foreign("an object that can't be read")
                return
            }
            // pg_restore leaves out what is outside the schema, and is told to leave out who may do what.
            guard object.schema == "public", object.words.first != "ACL" else { continue }
            guard let kind = object.kind else {
                self = .foreign("a \(object.words.prefix { $0 != "public" }.joined(separator: " ").lowercased())")
                return
            }
            guard kind.hasPrefix("TABLE") else { continue }
            guard Self.isKnown(object.name) else {
                self = .foreign("another table")
                return
            }
            if kind == "TABLE DATA" { tables.insert(object.name) }
        }
        let isComplete = ["service", "migration", "list"].allSatisfy { tables.contains($0[...]) }
        self = isComplete ? .backup(tables: tables.count) : .incomplete
    }

    /// The kinds of objects in Trolley's schema. Functions, triggers, rules and views are not among them: they would run
    /// later, whenever the service uses its tables.
    private static let kinds = [
        "TABLE DATA", "TABLE ATTACH", "TABLE", "INDEX ATTACH", "INDEX", "FK CONSTRAINT", "CHECK CONSTRAINT",
        "CONSTRAINT", "DEFAULT", "COMMENT", "SEQUENCE SET", "SEQUENCE OWNED BY", "SEQUENCE",
    ]

    /// The tables that migrations have created, under whatever name, and the months of the Activity.
    private static func isKnown(_ table: Substring) -> Bool {
        table == "migration" || table.hasPrefix("archived_entry") || table == "unpartitioned_entry"
            || Migrations.all.contains { migration in
                ["", " UNLOGGED"].contains { migration.sql.contains("CREATE\($0) TABLE \(table) (") }
            }
    }

    private struct Object {
        /// From the kind on.
        let words: [Substring]
        let kind: String?
        let schema: Substring
        let name: Substring

        init?(_ line: String) {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count >= 6, words[0].hasSuffix(";") else { return nil }
            self.words = Array(words.dropFirst(3))
            let rest = self.words.joined(separator: " ")
            kind = BackupContents.kinds.first { rest.hasPrefix("\($0) ") }
            let behind = self.words.dropFirst(kind.map { $0.split(separator: " ").count } ?? 0)
            // The kind of another object may have several words. An object without a schema has "-" in its place.
            schema = (kind == nil ? behind.first { $0 == "public" || $0 == "-" } : behind.first) ?? "-"
            name = behind.dropFirst().first ?? ""
        }
    }
}
