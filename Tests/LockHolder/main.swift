import TrolleyPostgres
import TrolleyStore

// A service that stops in the middle of a transaction, for tests that freeze it: locks all lists of a database, prints a
// line, and does nothing more. Arguments: the database's URL, and its `idle_in_transaction_session_timeout`.

#if canImport(Glibc)
    import Glibc
#endif

var configuration = try Store.configuration(CommandLine.arguments[1])
configuration.sessionSettings["idle_in_transaction_session_timeout"] = CommandLine.arguments[2]
try await Pool(configuration).withTransaction { connection in
    try await connection.execute("SELECT FROM list FOR UPDATE")
    print("locked")
    fflush(nil)
    // Sleeps: until the test kills it.
    while true { try await Task.sleep(for: .seconds(3600)) }
}
