package import TrolleyMigrations

/// Progress of a migration.
package enum MigrationProgress: Hashable, Sendable, CustomStringConvertible {
    /// Another process migrates the database; this one waits for it.
    case waitingForOther
    /// Others use what a migration needs for itself; it is tried again.
    case blocked(Migration)
    /// A migration begins.
    case applying(Migration)
    /// A migration has run for this long; the index that it is building, if any.
    case running(Migration, for: Duration, Index?)

    var isBeginning: Bool { if case .applying = self { true } else { false } }

    /// An index that PostgreSQL builds (`pg_stat_progress_create_index`).
    package struct Index: Hashable, Sendable {
        /// The table's name.
        package var table: String
        /// PostgreSQL's name of the phase.
        package var phase: String
        /// The completed share of the phase, from 0 to 1; nil when PostgreSQL doesn't report it.
        package var share: Double?
    }

    package var description: String {
        switch self {
        case .waitingForOther: return "another process migrates the database; waiting for it"
        case .blocked(let migration):
            return "migration \(migration.version) (\(migration.name)) waits for others' locks; trying again"
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
