public import TrolleyPostgres

extension Store {
    /// How to connect to a database that a store or a ``Migrator`` is to use.
    /// - Parameter url: a libpq URL or keywords.
    /// - Throws: `PostgresError` of the kind `configuration`, when libpq can't read it.
    public static func configuration(_ url: String) throws(PostgresError) -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url)
        configuration.sessionSettings = sessionSettings
        configuration.settingsWithExtension = ["citus": settingsOnCitus]
        return configuration
    }

    // The statements are constants, and are planned once: to plan anew for each array that is bound costs more than to run
    // most of them. A plan that is kept is made while tables may still be empty, and must be right when they are full. So it
    // goes by indexes, one row after the other, also where that is not the quickest (`docs/decisions/1501`).
    static let sessionSettings = [
        "plan_cache_mode": "force_generic_plan",
        "enable_seqscan": "off",
        "enable_hashjoin": "off",
        "enable_mergejoin": "off",
        // Would copy what is read of each list, for another list that has the same id.
        "enable_memoize": "off",
        // A plan has a high cost where it must read a table whole (`service` has one row and no other way), which makes
        // PostgreSQL compile the statement at each execution: a second for a statement of a millisecond.
        "jit": "off",
        // A statement that takes a lock and then reads must see what was committed before it had the lock.
        "default_transaction_isolation": "read committed",
    ]

    // A plan that doesn't know which list is meant would go to all shards, and for most statements there is none. What a
    // transaction sets for itself, such as how long it waits for a lock, holds on the nodes as well. A statement that goes to
    // all shards takes those of a node one after the other: after several at once, Citus refuses to change in the same
    // transaction what every node has.
    static let settingsOnCitus = [
        "plan_cache_mode": "auto",
        "citus.propagate_set_commands": "local",
        "citus.multi_shard_modify_mode": "sequential",
    ]
}
