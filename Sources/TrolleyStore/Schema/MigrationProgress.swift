public import TrolleyMigrations

/// What happens while a schema is brought up to date.
public enum MigrationProgress: Hashable, Sendable, CustomStringConvertible {
    /// Another process does it; this one waits until that has ended.
    case waitingForOther
    /// A step begins.
    case applying(Migration)
    /// A step has taken this long, and builds this index, if it builds one.
    case running(Migration, for: Duration, Index?)

    /// An index that PostgreSQL builds (`pg_stat_progress_create_index`).
    public struct Index: Hashable, Sendable {
        /// The table's name.
        public var table: String
        /// PostgreSQL's word for what it does.
        public var phase: String
        /// How much of the phase is done, from 0 to 1; nil when PostgreSQL doesn't say.
        public var share: Double?
    }

    public var description: String {
        switch self {
        case .waitingForOther: return "another process migrates the database; waiting for it"
        case .applying(let migration): return "applying migration \(migration.version) (\(migration.name))"
        case .running(let migration, let time, let index):
            var text =
                "migration \(migration.version) (\(migration.name)) has run for \(time.components.seconds) s"
            if let index {
                text += ", index on \(index.table): \(index.phase)"
                if let share = index.share { text += ", \(Int(share * 100))%" }
            }
            return text
        }
    }
}
