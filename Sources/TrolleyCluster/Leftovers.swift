internal import FoundationEssentials
internal import Logging

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Server processes of an earlier run, whose service was killed.
///
/// With the directory's lock in hand nobody else minds them: they are asked to end, then made to. The write-ahead log
/// makes that safe, if all of them are gone before a new server starts.
struct Leftovers: Sendable {
    let directory: DataDirectory
    let logger: Logger

    /// Returns when no process of an earlier run is left, and no `postmaster.pid`.
    func clear(within limit: Duration) async throws(ClusterError) {
        let start = ContinuousClock.now
        var sent: Set<Int32> = []
        while true {
            let processes = alive()
            if processes.isEmpty { break }
            let waited = ContinuousClock.now - start
            if waited > limit { throw .leftoverProcesses(processes) }
            // Fast shutdown, then immediate shutdown, then the end.
            let signal = waited < limit / 2 ? SIGINT : waited < limit * 3 / 4 ? SIGQUIT : SIGKILL
            if sent.insert(signal).inserted {
                logger.notice(
                    "stopping a PostgreSQL of an earlier run",
                    metadata: ["processes": "\(processes)", "signal": "\(signal)"])
                // A fast shutdown is the postmaster's to lead; without one its children end by themselves.
                let addressees = signal == SIGINT ? processes.filter { $0 == postmaster } : processes
                for process in addressees { kill(process, signal) }
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        // PostgreSQL would refuse to start if another process happened to have the number by now.
        try? FileManager.default.removeItem(atPath: directory.postmasterFile)
    }

    private var postmaster: Int32? {
        let text = try? String(contentsOfFile: directory.postmasterFile, encoding: .utf8)
        return text.flatMap { Int32($0.prefix { $0.isNumber }) }
    }

    /// A PostgreSQL process works in its cluster's directory, all its life.
    private func alive() -> [Int32] {
        #if os(Linux)
            let real = URL(filePath: directory.cluster).resolvingSymlinksInPath().path
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return processes.compactMap(Int32.init).filter { process in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) == real
                    && (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))?.hasPrefix("postgres")
                        == true
            }
        #else
            return postmaster.map { kill($0, 0) == 0 ? [$0] : [] } ?? []
        #endif
    }
}
