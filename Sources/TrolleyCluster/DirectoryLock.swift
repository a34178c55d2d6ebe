internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// One process, one data directory. The system drops the lock with the process, however that ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Tries for `patience`: what a killed service was starting may hold its lock for a moment longer.
    ///
    /// Errors: `inUse`, `file`.
    static func take(
        _ directory: String, patience: Duration = .seconds(1)
    ) async throws(ClusterError) -> DirectoryLock {
        let end = ContinuousClock.now + patience
        while true {
            do {
                return try DirectoryLock(directory)
            } catch {
                guard case .inUse = error, ContinuousClock.now < end, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private init(_ directory: String) throws(ClusterError) {
        let path = "\(directory)/lock"
        // Not inherited by the server, which may outlive this process for a moment.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(operation: "open", path: path, reason: systemReason()) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { text in
                Int32(text.prefix { $0.isNumber })
            }
            close(descriptor)
            throw .inUse(directory: directory, process: holder)
        }
        ftruncate(descriptor, 0)
        let text = Array("\(getpid())\n".utf8)
        _ = write(descriptor, text, text.count)
        self.descriptor = descriptor
    }

    deinit {
        // Closing would not do, while a process that was just forked has the descriptor too.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
