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
        // Closed on exec: the server must not inherit the lock, because it may outlive this process for a moment.
        let descriptor = try openPlainFile(path, O_RDWR | O_CREAT)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
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
        plainText(path).flatMap { text in Int32(text.prefix { $0.isNumber }) }
    }

    /// Whether any process holds the lock. Creates no file.
    static func isHeld(_ path: String) -> Bool {
        let descriptor: Int32
        do { descriptor = try openPlainFile(path, O_RDONLY) } catch { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }
}
