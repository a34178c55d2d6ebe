internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An `flock` on a file that contains the owner's process id. The system releases it when the process ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, and creates the file if there is none. Returns nil when another process holds the lock.
    ///
    /// Errors: `file`.
    init?(_ path: String) throws(ClusterError) {
        // O_CLOEXEC: the server must not inherit the lock, because it may outlive this process for a moment.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(operation: "open", path: path, reason: systemReason()) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        // A command that runs as root must not leave a file that the service's user can't open.
        if geteuid() == 0, let status = FileStatus(URL(filePath: path).deletingLastPathComponent().path) {
            _ = fchown(descriptor, status.owner, status.group)
        }
        // On a full disk the file stays empty. The lock works all the same.
        _ = ftruncate(descriptor, 0)
        let text = Array("\(getpid())\n".utf8)
        _ = write(descriptor, text, text.count)
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone doesn't unlock while a process that was just forked still has the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The process id in the file. That process may have ended.
    static func holder(_ path: String) -> Int32? {
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { text in Int32(text.prefix { $0.isNumber }) }
    }

    /// Whether any process holds the lock. Creates no file.
    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }
}
