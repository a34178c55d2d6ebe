internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ClusterConfiguration {
    /// Whether PostgreSQL has room put by for a disk that is full; nil when none is kept. Changes nothing.
    public var hasReserve: Bool? {
        reserve > 0 ? FileStatus("\(dataDirectory)/reserve") != nil : nil
    }
}

/// A file that only takes up room. On a full disk PostgreSQL can neither start nor recover; without this file it can.
struct Reserve: Sendable {
    let path: String
    /// In bytes; 0: there is none.
    let size: Int64

    /// Gives the room back when less is free than was kept; beside a server that runs, when next to nothing is.
    /// - Returns: whether there was any to give.
    @discardableResult
    func releaseIfNeeded(whileRunning: Bool = false) -> Bool {
        guard size > 0, let free = Self.free(beside: path), free < (whileRunning ? size / 4 : size) else {
            return false
        }
        return unlink(path) == 0
    }

    /// Keeps the room, when there is plenty.
    func keep() {
        guard size > 0, FileStatus(path) == nil, let free = Self.free(beside: path), free >= 4 * size else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if !Self.allocate(size, descriptor) { unlink(path) }
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

    /// Bytes that are free for this process.
    private static func free(beside path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(URL(filePath: path).deletingLastPathComponent().path, &status) == 0 else { return nil }
        return Int64(clamping: status.f_bavail) * Int64(status.f_frsize)
    }
}
