#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Ends a server in a bounded time: a fast shutdown, then an immediate one, then SIGKILL for all its processes. The
/// write-ahead log makes each of them safe; after an immediate shutdown the next start has to recover.
struct Shutdown: Sendable {
    /// Time for a fast shutdown, which includes the last checkpoint.
    var fast: Duration = .seconds(15)
    /// Time for a fast shutdown during recovery. Nothing has to be saved then, and a fast shutdown may have to wait for
    /// the whole recovery.
    var recovering: Duration = .seconds(2)
    /// Time for an immediate shutdown. The postmaster kills children that don't react within 5 seconds.
    var immediate: Duration = .seconds(10)
    /// Time after the last signal. After that the processes count as unkillable.
    var last: Duration = .seconds(10)

    enum Step: Hashable {
        /// Send this signal, once.
        case signal(Int32)
        case giveUp
    }

    /// The step that is due when `waited` has passed since the first request to end.
    func step(after waited: Duration, isRecovering: Bool) -> Step {
        let quit = isRecovering ? min(recovering, fast) : fast
        if waited < quit { return .signal(SIGINT) }
        if waited < quit + immediate { return .signal(SIGQUIT) }
        return waited < quit + immediate + last ? .signal(SIGKILL) : .giveUp
    }
}
