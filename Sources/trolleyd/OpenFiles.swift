#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit on this process's open files. Each connection is one.
///
/// The process must not reach it. Beyond it no file can be opened and no connection to the database, and on Linux
/// libdispatch ends the process: it opens files of /proc to count its threads, and traps when it can't.
enum OpenFiles {
    /// Open files that are neither clients' connections nor those of a pool: to push services, other programs' input and
    /// output, files, and those of the libraries.
    private static let others = 112

    /// Raises the process's own limit as far as it is needed and allowed.
    /// - Parameter pooled: connections to the database, its standby and its nodes.
    /// - Returns: the number of clients' connections for which it leaves room, at most `wanted`.
    static func connections(atMost wanted: Int, besides pooled: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        let needed = rlim_t(clamping: wanted).addingReportingOverflow(rlim_t(clamping: others + pooled))
        if !needed.overflow, limit.rlim_cur < needed.partialValue, limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(needed.partialValue, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return connections(atMost: wanted, besides: pooled, below: Int(clamping: limit.rlim_cur))
    }

    /// - Parameter limit: the number of files that may be open.
    static func connections(atMost wanted: Int, besides pooled: Int, below limit: Int) -> Int {
        let left = limit - pooled
        return min(wanted, max(1, left - min(others, left / 2)))
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
