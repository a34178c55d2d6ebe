#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The `lstat` result of a path (`stat` with `followingLinks`).
struct FileStatus {
    let owner: uid_t
    let group: gid_t
    let permissions: mode_t
    let size: Int
    let isDirectory: Bool
    let isLink: Bool

    /// Nil when the path doesn't exist.
    init?(_ path: String, followingLinks: Bool = false) {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        owner = status.st_uid
        group = status.st_gid
        size = Int(status.st_size)
        permissions = status.st_mode & 0o7777
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isLink = status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether `user` may pass through this directory.
    func canBeEntered(by user: ServerUser) -> Bool {
        if owner == user.id { return permissions & 0o100 != 0 }
        if group == user.group { return permissions & 0o010 != 0 }
        return permissions & 0o001 != 0
    }
}

/// The system's last error (`errno`) as text.
func systemReason() -> String {
    String(cString: strerror(errno))
}
