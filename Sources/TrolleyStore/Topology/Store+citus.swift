// What a connection to a database with the extension states besides the settings for one server.
extension Store {
    // A generic plan doesn't know the list and would go to all shards; for most statements no such plan exists. SET
    // LOCAL, such as the lock time-out, must also reach the nodes.
    static let settingsOnCitus = [
        "plan_cache_mode": "auto",
        "citus.propagate_set_commands": "local",
        "citus.multi_shard_modify_mode": "sequential",
    ]

    // Rows are locked on the nodes, where this session's own settings don't hold.
    static let transactionSettingsOnCitus = ["lock_timeout": lockTimeout]
}
