import TrolleyPostgres

// Checks how long a frozen or vanished process keeps its locks.

extension Doctor {
    func frozen(_ connection: Connection) async throws -> Finding {
        let name = "idle_in_transaction_session_timeout"
        let milliseconds = try await connection.settings([name])[name].flatMap { Int($0) } ?? 0
        return Self.frozen(after: milliseconds, isPooled: !pool.configuration.preparesStatements)
    }

    /// - Parameters:
    ///   - milliseconds: after which the server ends a session that is idle in a transaction; 0: never.
    ///   - isPooled: whether the connections can't set it, because others share them.
    static func frozen(after milliseconds: Int, isPooled: Bool) -> Finding {
        if milliseconds > 0, milliseconds <= 30_000 {
            return .ok("frozen", "the server releases the locks of a process that vanished after \(milliseconds) ms")
        }
        let limit = milliseconds == 0 ? "never" : "only after \(milliseconds) ms"
        return .warning(
            "frozen",
            "by its own settings the server ends a session that is idle in a transaction \(limit)"
                + (isPooled ? "; trolleyd states a limit in each transaction" : ""),
            "ALTER ROLE … SET idle_in_transaction_session_timeout = '20s' (docs/scaling.md).")
    }
}
