internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An `flock` on a file that holds the process id of its owner. The system drops it with the process, however that ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, and makes the file if there is none. Nil when another has it.
    ///
    /// Errors: `file`.
    init?(_ path: String) throws(ClusterError) {
        // Not inherited by the server, which may outlive this process for a moment.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(operation: "open", path: path, reason: systemReason()) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        // A command that root runs must not leave a file that the service's own user can't open.
        if geteuid() == 0, let status = FileStatus(URL(filePath: path).deletingLastPathComponent().path) {
            _ = fchown(descriptor, status.owner, status.group)
        }
        // On a full disk the file stays empty, and the lock holds all the same.
        _ = ftruncate(descriptor, 0)
        let text = Array("\(getpid())\n".utf8)
        _ = write(descriptor, text, text.count)
        self.descriptor = descriptor
    }

    deinit {
        // Closing would not do, while a process that was just forked has the descriptor too.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The process that its owner has written into the file; it may be gone by now.
    static func holder(_ path: String) -> Int32? {
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { text in Int32(text.prefix { $0.isNumber }) }
    }

    /// Whether anybody has the lock. Makes nothing.
    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }
}
