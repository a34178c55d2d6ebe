internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ClusterConfiguration {
    /// Whether the reserve file exists; nil when none is configured. Changes nothing.
    package var hasReserve: Bool? {
        reserve > 0 ? FileStatus("\(dataDirectory)/reserve") != nil : nil
    }
}

/// A file that only occupies disk space. PostgreSQL can neither start nor recover on a full disk; removing this file
/// makes that possible.
struct DiskReserve: Sendable {
    let path: String
    /// In bytes; 0 for no reserve.
    let size: Int64
    let user: ServerUser

    /// Removes the file when less than `size` is free, or, while a server runs, less than a quarter of `size`.
    /// - Returns: whether a file was removed.
    @discardableResult
    func releaseIfNeeded(whileRunning: Bool = false) -> Bool {
        guard size > 0, let free = Self.free(beside: path), free < (whileRunning ? size / 4 : size) else {
            return false
        }
        return user.withFileRightsIfPossible { unlink(path) == 0 } ?? false
    }

    /// Creates the file if at least four times its size is free.
    func createIfPossible() {
        guard size > 0, let free = Self.free(beside: path), free >= 4 * size else { return }
        _ = user.withFileRightsIfPossible {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            if !Self.allocate(size, descriptor) { unlink(path) }
        }
    }

    private static func allocate(_ size: Int64, _ descriptor: Int32) -> Bool {
        #if os(Linux)
            return posix_fallocate(descriptor, 0, off_t(size)) == 0
        #else
            let zeros = [UInt8](repeating: 0, count: 1 << 20)
            for _ in 0..<(size >> 20) where write(descriptor, zeros, zeros.count) != zeros.count { return false }
            return true
        #endif
    }

    /// The number of bytes that are free for this process.
    private static func free(beside path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(URL(filePath: path).deletingLastPathComponent().path, &status) == 0 else { return nil }
        return Int64(clamping: status.f_bavail) * Int64(status.f_frsize)
    }
}
