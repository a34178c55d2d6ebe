import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How much room there is at a place on this machine.
public struct DiskSpace: Hashable, Sendable {
    public let path: String
    /// Bytes that an ordinary user may still write.
    public let free: Int64
    public let total: Int64

    public init(path: String, free: Int64, total: Int64) {
        self.path = path
        self.free = free
        self.total = total
    }

    /// Nil when this process may not look there.
    public init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = Int64(status.f_frsize)
        self.init(
            path: path, free: Int64(clamping: status.f_bavail) * block, total: Int64(clamping: status.f_blocks) * block)
    }

    /// The fullest of several places.
    public static func least(at paths: [String]) -> DiskSpace? {
        paths.compactMap(DiskSpace.init(at:)).min { $0.free < $1.free }
    }

    /// Bytes below which an operator is warned.
    public var ample: Int64 { max(1 << 30, total / 20) }
}

extension Store {
    /// Where the server keeps its data and its write-ahead log, if that is on this machine and the role may know; else
    /// nothing.
    public func dataPlaces() async throws(StoreError) -> [String] {
        try await typed { try await pool.withConnection { try await $0.dataPlaces() } ?? [] }
    }
}
