import NIOCore
import TrolleyPostgres
import TrolleyStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Replaces an error that no command has described by a message that says what happened and what to do.
func userFacing(_ error: any Error) -> any Error {
    switch error {
    case StoreError.database(let error), StoreError.unavailable(let error): CommandError(sentence(for: error))
    case StoreError.busy: CommandError("Too many changes to the list at the same time. Try again.")
    case StoreError.notOnList, StoreError.gone: CommandError("The list doesn't exist.")
    case let error as PostgresError: CommandError(sentence(for: error))
    default: error
    }
}

private func sentence(for error: PostgresError) -> String {
    switch (error.kind, error.sqlState) {
    case (_, .undefinedTable), (_, .undefinedColumn):
        "The database doesn't have Trolley's schema, or has an older one. Migrate it: trolleyd migrate"
    case (_, .readOnlyTransaction):
        "The database is read-only: it is a standby, or was set so. Name a writable one with --database-url."
    case (.connectionFailed, _), (.connectionLost, _), (.closed, _):
        "The database can't be reached: \(error.cause). Check that it runs and accepts this machine: trolleyd doctor"
    case (.acquireTimedOut, _): "The database has no free connection: \(error.message)."
    case (.configuration, _): "The database's URL can't be used: \(error.message)."
    case (.statementTimedOut, _), (.cancelled, _): "The database took too long: \(error)"
    case (.server, _), (.decoding, _), (.misuse, _): "The database refused: \(error)"
    }
}

extension PostgresError {
    /// The message without libpq's hint ("Is the server running …?").
    fileprivate var cause: String {
        var first = message.split(separator: ";").first ?? Substring(message)
        while first.last == "." || first.last?.isWhitespace == true { first.removeLast() }
        return String(first)
    }
}

/// The message when the service can't listen.
func listeningFailure(_ error: any Error, host: String, port: Int) -> any Error {
    let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    switch error {
    case let error as IOError where error.errnoCode == EADDRINUSE:
        return CommandError("Another program listens at \(place). Stop it, or choose another port with --port.")
    case let error as IOError where error.errnoCode == EACCES:
        return CommandError(
            "This user may not listen at \(place): ports below 1024 need root. Choose another port with --port.")
    case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
        return CommandError("This machine doesn't have the address \(host). Choose another one with --host.")
    case let error as IOError:
        return CommandError("Can't listen at \(place): \(String(cString: strerror(error.errnoCode))).")
    case is SocketAddressError:
        return CommandError("\(host) is not an address of this machine. Choose another one with --host.")
    default: return error
    }
}
