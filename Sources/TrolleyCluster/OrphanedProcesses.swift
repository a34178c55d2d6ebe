internal import FoundationEssentials
internal import Logging

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The server processes in a data directory: of a service that was killed, or of a server that is being stopped.
///
/// This process holds the directory's lock, so no other process manages them. They are asked to end, then killed. The
/// write-ahead log makes that safe, provided that all of them are gone before a new server starts.
struct OrphanedProcesses: Sendable {
    let directory: DataDirectory
    let shutdown: Shutdown
    let logger: Logger

    /// Returns when no server process and no `postmaster.pid` is left.
    ///
    /// Errors: `leftoverProcesses` when they don't end in the time that `shutdown` allows.
    func clear() async throws(ClusterError) {
        let start = ContinuousClock.now
        var sent: Set<Int32> = []
        while true {
            let processes = try alive()
            if processes.isEmpty { break }
            let isRecovering = processes.contains(where: isStartup)
            switch shutdown.step(after: ContinuousClock.now - start, isRecovering: isRecovering) {
            case .giveUp: throw .leftoverProcesses(processes)
            case .signal(let signal):
                if sent.insert(signal).inserted { send(signal, to: processes) }
            }
            // A separate task, because a cancelled task must stop its server, too.
            _ = await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
        // PostgreSQL would refuse to start if another process had reused this process id.
        _ = directory.user.withFileRightsIfPossible { unlink(directory.postmasterFile) }
    }

    private func send(_ signal: Int32, to processes: [Int32]) {
        logger.log(
            level: signal == SIGINT ? .info : .notice, "stopping PostgreSQL",
            metadata: ["processes": "\(processes)", "signal": "\(signal)"])
        // The postmaster leads a shutdown. Without a postmaster its children end by themselves.
        let leader = processes.filter { $0 == postmaster }
        for process in signal == SIGKILL || (leader.isEmpty && signal == SIGQUIT) ? processes : leader {
            kill(process, signal)
        }
    }

    /// Whether the process is the startup process, which recovers: `postgres: trolley: startup recovering 0000…`.
    private func isStartup(_ process: Int32) -> Bool {
        #if os(Linux)
            let title = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
            return title.hasPrefix("postgres:") && title.contains(": startup")
        #else
            return directory.status == "starting"
        #endif
    }

    private var postmaster: Int32? {
        directory.text(directory.postmasterFile).flatMap { Int32($0.prefix { $0.isNumber }) }
    }

    /// The PostgreSQL processes of the server's user whose working directory is the cluster's. They never change it. A
    /// link in the cluster's place can't lead to another user's server.
    ///
    /// Errors: `file`. To overlook a running server would destroy its data.
    private func alive() throws(ClusterError) -> [Int32] {
        #if os(Linux)
            let real = URL(filePath: directory.cluster).resolvingSymlinksInPath().path
            let processes: [String]
            do { processes = try FileManager.default.contentsOfDirectory(atPath: "/proc") } catch {
                throw .file(operation: "list", path: "/proc", reason: "\(error)")
            }
            return processes.compactMap(Int32.init).filter { process in
                FileStatus("/proc/\(process)")?.owner == directory.user.id
                    && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) == real
                    && (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))?.hasPrefix("postgres")
                        == true
            }
        #else
            return postmaster.map { kill($0, 0) == 0 ? [$0] : [] } ?? []
        #endif
    }
}
