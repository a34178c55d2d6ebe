#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// How a server is made to end, in a bounded time: a fast shutdown, then an immediate one, then the end of all its
/// processes. The write-ahead log makes each of them safe; an immediate one costs the next start a recovery.
struct Shutdown: Sendable {
    /// For the last checkpoint.
    var fast: Duration = .seconds(15)
    /// The same while it recovers: then there is nothing to save, and a fast shutdown may have to wait for all of it.
    var recovering: Duration = .seconds(2)
    /// The postmaster ends children that don't hear within 5 seconds.
    var immediate: Duration = .seconds(10)
    /// After the last signal; beyond it the processes can't be ended.
    var last: Duration = .seconds(10)

    enum Step: Hashable {
        /// To be sent once.
        case signal(Int32)
        case giveUp
    }

    /// The step that is due when the server has been asked to end for `waited`.
    func step(after waited: Duration, isRecovering: Bool) -> Step {
        let quit = isRecovering ? min(recovering, fast) : fast
        if waited < quit { return .signal(SIGINT) }
        if waited < quit + immediate { return .signal(SIGQUIT) }
        return waited < quit + immediate + last ? .signal(SIGKILL) : .giveUp
    }
}
