internal import CThreadRights

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

// A data directory belongs to the server's user, who can put a link in the place of any file in it. Root must not be
// led by such links. So a process that is root handles these files with that user's rights: a link then leads only to
// what that user could have changed anyway.

extension ServerUser {
    /// Runs `body` with this user's rights to files, if the process is root and this is another user. Files that `body`
    /// creates belong to this user.
    ///
    /// Errors: those of `body`, and `privilegesNotDropped`; `body` has not run then.
    func withFileRights<Value>(_ body: () throws(ClusterError) -> Value) throws(ClusterError) -> Value {
        guard isOther else { return try body() }
        return try Self.withFileRights(of: id, group, named: name, body)
    }

    /// Runs `body`, which reads files that this process will show to others, with this user's rights to files.
    /// - Throws: the errors of `body`; `ClusterError` when this user's rights can't be had.
    package func readingFiles<Value>(_ body: () throws -> Value) throws -> Value {
        try withFileRights { () throws(ClusterError) in Result { try body() } }.get()
    }

    /// The same for work that reports no errors. Nil when this user's rights can't be had.
    func withFileRightsIfPossible<Value>(_ body: () -> Value) -> Value? {
        do { return try withFileRights { () throws(ClusterError) in body() } } catch { return nil }
    }

    static func withFileRights<Value>(
        of user: uid_t, _ group: gid_t, named name: String, _ body: () throws(ClusterError) -> Value
    ) throws(ClusterError) -> Value {
        // The process may have stopped being root meanwhile.
        guard geteuid() == 0, user != 0 else { return try body() }
        guard trolley_set_file_rights(user, group) == 0 else {
            let reason = systemReason()
            trolley_set_file_rights(0, getegid())
            throw .privilegesNotDropped(user: name, reason: reason)
        }
        // Fails only when the process has stopped being root meanwhile. Then there is nothing to restore.
        defer { trolley_set_file_rights(0, getegid()) }
        return try body()
    }
}
