internal import FoundationEssentials
internal import Logging

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The lock on a data directory. The process that holds it runs the server.
///
/// A service takes the lock `service` first, and keeps it for its lifetime. Any other process that runs the server
/// polls that lock. When it is taken, the process stops the server and releases the directory.
final class DirectoryLock: Sendable {
    private let directory: DataDirectory
    /// The service's lock on `service`; nil in any other process.
    private let claim: FileLock?
    private let lock: FileLock

    /// Tries for `lockTimeout`, because a killed process's children may hold its locks for a moment longer. A service then
    /// waits up to `takeover` for a command to release the directory.
    ///
    /// Errors: `inUse`, `file`.
    static func take(
        _ directory: DataDirectory, as role: Cluster.Role, lockTimeout: Duration = .seconds(1), takeover: Duration,
        logger: Logger
    ) async throws(ClusterError) -> DirectoryLock {
        guard role == .service else {
            guard !directory.isHeld(directory.serviceLock),
                let lock = try await wait(for: directory.lock, directory, lockTimeout),
                !directory.isHeld(directory.serviceLock)
            else {
                throw .inUse(directory: directory.path, process: directory.holder(directory.lock))
            }
            return DirectoryLock(directory: directory, claim: nil, lock: lock)
        }
        guard let claim = try await wait(for: directory.serviceLock, directory, lockTimeout) else {
            throw .inUse(directory: directory.path, process: directory.holder(directory.serviceLock))
        }
        if let lock = try await wait(for: directory.lock, directory, lockTimeout) {
            return DirectoryLock(directory: directory, claim: claim, lock: lock)
        }
        let holder = directory.holder(directory.lock)
        logger.notice(
            "waiting for another command to release the data directory",
            metadata: [
                "directory": "\(directory.path)", "process": "\(holder.map(String.init) ?? "unknown")",
            ])
        guard let lock = try await wait(for: directory.lock, directory, takeover) else {
            throw .inUse(directory: directory.path, process: holder)
        }
        return DirectoryLock(directory: directory, claim: claim, lock: lock)
    }

    private init(directory: DataDirectory, claim: FileLock?, lock: FileLock) {
        self.directory = directory
        self.claim = claim
        self.lock = lock
    }

    /// Whether a service waits for this command to release the directory.
    var isWanted: Bool { claim == nil && directory.isHeld(directory.serviceLock) }

    private static func wait(
        for path: String, _ directory: DataDirectory, _ limit: Duration
    ) async throws(ClusterError) -> FileLock? {
        let end = ContinuousClock.now + limit
        while true {
            let lock = try directory.user.withFileRights { () throws(ClusterError) in try FileLock(path) }
            if let lock { return lock }
            guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}

extension DataDirectory {
    fileprivate var lock: String { "\(path)/lock" }
    fileprivate var serviceLock: String { "\(path)/service" }

    /// Gives the user the locks that an earlier version made as root. Call it as root.
    /// - Parameter descriptor: of this directory.
    ///
    /// Errors: `file`.
    func takeLocks(_ descriptor: Int32) throws(ClusterError) {
        for path in [lock, serviceLock] {
            let name = URL(filePath: path).lastPathComponent
            let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            defer { close(file) }
            // Another user may have put another file of root's in its place. That has a second name then, or something
            // else than a process id in it.
            var bytes = [UInt8](repeating: 0, count: Self.maxLockBytes + 1)
            let count = read(file, &bytes, bytes.count)
            guard let status = FileStatus(descriptor: file), status.isPlainFile, status.owner == 0,
                (0...Self.maxLockBytes).contains(count),
                bytes.prefix(count).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x0A })
            else { continue }
            guard fchown(file, user.id, user.group) == 0 else {
                throw .file(operation: "change the owner of", path: path, reason: systemReason())
            }
        }
    }

    /// A process id, and a line break.
    private static let maxLockBytes = 11

    fileprivate func isHeld(_ lock: String) -> Bool {
        user.withFileRightsIfPossible { FileLock.isHeld(lock) } ?? false
    }

    fileprivate func holder(_ lock: String) -> Int32? {
        user.withFileRightsIfPossible { FileLock.holder(lock) } ?? nil
    }
}
