internal import FoundationEssentials

#if canImport(Glibc)
    internal import CThreadRights
    internal import Glibc
#elseif canImport(Musl)
    internal import CThreadRights
    internal import Musl
#else
    internal import Darwin
#endif

// The service must not be root either, so that a vulnerability in it doesn't give root access.

extension ServerUser {
    /// The user that a process that runs as root changes to: the one that runs PostgreSQL. Nil when this process isn't
    /// root.
    /// - Parameter dataDirectory: the data directory of the process's own PostgreSQL; nil when it has none.
    package static func unprivileged(dataDirectory: String?) throws(ClusterError) -> ServerUser? {
        guard geteuid() == 0 else { return nil }
        guard let dataDirectory else { return try choose(owners: []) }
        return try DataDirectory(dataDirectory).user
    }

    /// Sets `HOME` to the user's home directory before the change to that user, so that files such as `~/.pgpass` are
    /// found in the same place before and after. Call this before anything is started.
    package func useOwnHomeDirectory() {
        if let home { setenv("HOME", home, 1) }
    }

    /// Changes this whole process to the user, permanently: no thread keeps or regains a right of root. Open files stay
    /// open.
    package func dropPrivileges() async throws(ClusterError) {
        func attempt(_ result: Int32) throws(ClusterError) {
            guard result == 0 else { throw .privilegesNotDropped(user: name, reason: systemReason()) }
        }
        // In this order: without root's rights the groups can't be changed. As root, setgid and setuid also set the
        // saved ids, and those of all threads that glibc knows to be running.
        try attempt(setgroups(0, nil))
        try attempt(setgid(group))
        try attempt(setuid(id))
        guard getuid() == id, geteuid() == id, getegid() == group, setuid(0) != 0 else {
            throw .privilegesNotDropped(user: name, reason: "the change could be undone")
        }
        #if os(Linux)
            try await dropPrivilegesInOtherThreads()
        #endif
    }

    #if os(Linux)
        /// The main thread of a Swift program sleeps in `dispatch_main` after it has called `pthread_exit`. glibc
        /// treats it as ended and leaves it root. It shares its memory with all other threads, so it must stop being
        /// root, too. It does so in a signal handler.
        private func dropPrivilegesInOtherThreads() async throws(ClusterError) {
            guard trolley_prepare_thread_rights(id, group) == 0 else {
                throw .privilegesNotDropped(user: name, reason: systemReason())
            }
            defer { trolley_forget_thread_rights() }
            let end = ContinuousClock.now + .seconds(5)
            while true {
                let others = try threadsOfOthers()
                if others.isEmpty { return }
                guard ContinuousClock.now < end else {
                    throw .privilegesNotDropped(user: name, reason: "\(others.count) threads are still root")
                }
                for thread in others { _ = trolley_signal_thread(thread) }
                do { try await Task.sleep(for: .milliseconds(10)) } catch {
                    throw .privilegesNotDropped(user: name, reason: "the task was cancelled")
                }
            }
        }

        /// Threads of this process that have another user in any of their ids, or another group.
        private func threadsOfOthers() throws(ClusterError) -> [pid_t] {
            do {
                return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
                    guard let number = pid_t(thread) else { return nil }
                    // A thread that has ended meanwhile has no rights.
                    guard let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
                    else { return nil }
                    func are(_ name: String, _ id: UInt32) -> Bool {
                        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
                        return line?.split(separator: "\t").dropFirst().allSatisfy { $0 == "\(id)" } ?? false
                    }
                    return are("Uid:", id) && are("Gid:", group) ? nil : number
                }
            } catch { throw .privilegesNotDropped(user: name, reason: "\(error)") }
        }
    #endif
}
