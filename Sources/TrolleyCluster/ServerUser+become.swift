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

// What serves must not be root either: a fault in it would be root's.

extension ServerUser {
    /// The user that a process of root's is to become: the one that PostgreSQL runs as. nil when this process isn't root.
    /// - Parameter dataDirectory: where a PostgreSQL of one's own has its data; nil when there is none.
    public static func unprivileged(dataDirectory: String?) throws(ClusterError) -> ServerUser? {
        guard geteuid() == 0 else { return nil }
        return try choose(dataOwner: dataDirectory.flatMap { DataDirectory($0).clusterOwner })
    }

    /// Has files like `~/.pgpass` looked for where the user has them, before it is become: what would not be found afterwards
    /// must not be found now. To be called before anything is started.
    public func takeHome() {
        if let home { setenv("HOME", home, 1) }
    }

    /// Makes all of this process the user's, for good: no thread of it has a right of root's afterwards, and none gets one
    /// back. What is open stays open.
    public func become() async throws(ClusterError) {
        func attempt(_ result: Int32) throws(ClusterError) {
            guard result == 0 else { throw .rightsNotGivenUp(user: name, reason: systemReason()) }
        }
        // In this order: without root's rights the groups can't be changed. Root's setgid and setuid set the saved ids too,
        // and those of all threads that glibc knows to be running.
        try attempt(setgroups(0, nil))
        try attempt(setgid(group))
        try attempt(setuid(id))
        guard getuid() == id, geteuid() == id, getegid() == group, setuid(0) != 0 else {
            throw .rightsNotGivenUp(user: name, reason: "they came back")
        }
        #if os(Linux)
            try await becomeInOtherThreads()
        #endif
    }

    #if os(Linux)
        /// The main thread of a Swift program sleeps in `dispatch_main` once it has called `pthread_exit`. glibc takes it for one
        /// that is gone and leaves it root. It shares its memory with all others, so it has to give root up too: it does so
        /// itself, in the handler of a signal.
        private func becomeInOtherThreads() async throws(ClusterError) {
            guard trolley_prepare_thread_rights(id, group) == 0 else {
                throw .rightsNotGivenUp(user: name, reason: systemReason())
            }
            defer { trolley_forget_thread_rights() }
            let end = ContinuousClock.now + .seconds(5)
            while true {
                let others = try threadsOfOthers()
                if others.isEmpty { return }
                guard ContinuousClock.now < end else {
                    throw .rightsNotGivenUp(user: name, reason: "\(others.count) threads keep them")
                }
                for thread in others { _ = trolley_signal_thread(thread) }
                do { try await Task.sleep(for: .milliseconds(10)) } catch {
                    throw .rightsNotGivenUp(user: name, reason: "the task was cancelled")
                }
            }
        }

        /// Threads of this process that are not the user's, in any of their ids, or are in another group.
        private func threadsOfOthers() throws(ClusterError) -> [pid_t] {
            do {
                return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
                    guard let number = pid_t(thread) else { return nil }
                    // One that has ended meanwhile has no rights.
                    guard let status = try? String(contentsOfFile: "/proc/self/task/\(thread)/status", encoding: .utf8)
                    else { return nil }
                    func are(_ name: String, _ id: UInt32) -> Bool {
                        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
                        return line?.split(separator: "\t").dropFirst().allSatisfy { $0 == "\(id)" } ?? false
                    }
                    return are("Uid:", id) && are("Gid:", group) ? nil : number
                }
            } catch { throw .rightsNotGivenUp(user: name, reason: "\(error)") }
        }
    #endif
}
