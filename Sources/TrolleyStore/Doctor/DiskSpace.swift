import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The free space of a file system on this machine.
package struct DiskSpace: Hashable, Sendable {
    package let path: String
    /// Bytes that an unprivileged user can still write.
    package let free: Int64
    package let total: Int64

    package init(path: String, free: Int64, total: Int64) {
        self.path = path
        self.free = free
        self.total = total
    }

    /// nil when this process may not examine the path.
    package init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = Int64(status.f_frsize)
        self.init(
            path: path, free: Int64(clamping: status.f_bavail) * block, total: Int64(clamping: status.f_blocks) * block)
    }

    /// The one with the least free space.
    package static func least(at paths: [String]) -> DiskSpace? {
        paths.compactMap(DiskSpace.init(at:)).min { $0.free < $1.free }
    }

    /// Operators are warned below this many bytes.
    package var ample: Int64 { max(1 << 30, total / 20) }
}

/// The place of a server's data and write-ahead log.
package enum DataDirectories: Hashable, Sendable {
    /// On this machine, at these paths.
    case here([String])
    /// On another machine.
    case elsewhere
    /// On this machine, but the role may not see the path.
    case hidden
}

extension Store {
    package func dataDirectories() async throws(StoreError) -> DataDirectories {
        try await typed { try await pool.withConnection { try await $0.dataDirectories() } }
    }
}
