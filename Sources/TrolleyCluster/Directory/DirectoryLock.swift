internal import FoundationEssentials
internal import Logging

/// The lock on a data directory. The process that holds it runs the server.
///
/// A service takes the lock `service` first, and keeps it for its lifetime. Any other process that runs the server
/// polls that lock. When it is taken, the process stops the server and releases the directory.
final class DirectoryLock: Sendable {
    private let service: String
    /// The service's lock on `service`; nil in any other process.
    private let claim: FileLock?
    private let lock: FileLock

    /// Tries for `lockTimeout`, because a killed process's children may hold its locks for a moment longer. A service then
    /// waits up to `takeover` for a command to release the directory.
    ///
    /// Errors: `inUse`, `file`.
    static func take(
        _ directory: String, as role: Cluster.Role, lockTimeout: Duration = .seconds(1), takeover: Duration,
        logger: Logger
    ) async throws(ClusterError) -> DirectoryLock {
        let service = "\(directory)/service"
        guard role == .service else {
            guard !FileLock.isHeld(service), let lock = try await wait(for: "\(directory)/lock", lockTimeout),
                !FileLock.isHeld(service)
            else {
                throw .inUse(directory: directory, process: FileLock.holder("\(directory)/lock"))
            }
            return DirectoryLock(service: service, claim: nil, lock: lock)
        }
        guard let claim = try await wait(for: service, lockTimeout) else {
            throw .inUse(directory: directory, process: FileLock.holder(service))
        }
        if let lock = try await wait(for: "\(directory)/lock", lockTimeout) {
            return DirectoryLock(service: service, claim: claim, lock: lock)
        }
        let holder = FileLock.holder("\(directory)/lock")
        logger.notice(
            "waiting for another command to release the data directory",
            metadata: ["directory": "\(directory)", "process": "\(holder.map(String.init) ?? "unknown")"])
        guard let lock = try await wait(for: "\(directory)/lock", takeover) else {
            throw .inUse(directory: directory, process: holder)
        }
        return DirectoryLock(service: service, claim: claim, lock: lock)
    }

    private init(service: String, claim: FileLock?, lock: FileLock) {
        self.service = service
        self.claim = claim
        self.lock = lock
    }

    /// Whether a service waits for this command to release the directory.
    var isWanted: Bool { claim == nil && FileLock.isHeld(service) }

    private static func wait(for path: String, _ limit: Duration) async throws(ClusterError) -> FileLock? {
        let end = ContinuousClock.now + limit
        while true {
            if let lock = try FileLock(path) { return lock }
            guard ContinuousClock.now < end, !Task.isCancelled else { return nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
