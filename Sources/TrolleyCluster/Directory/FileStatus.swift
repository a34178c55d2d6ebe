#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The `lstat` result of a path (`stat` with `followingLinks`), or the `fstat` result of a descriptor.
package struct FileStatus {
    let owner: uid_t
    let group: gid_t
    let permissions: mode_t
    package let size: Int
    package let isDirectory: Bool
    let isLink: Bool
    package let isRegular: Bool
    /// Whether it is a regular file that has one name only.
    let isPlainFile: Bool

    /// Nil when the path doesn't exist.
    package init?(_ path: String, followingLinks: Bool = false) {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of an entry in a directory, of which `directory` is a descriptor. Links are not followed.
    init?(_ name: String, in directory: Int32) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        owner = status.st_uid
        group = status.st_gid
        size = Int(status.st_size)
        permissions = status.st_mode & 0o7777
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isLink = status.st_mode & S_IFMT == S_IFLNK
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isPlainFile = isRegular && status.st_nlink == 1
    }

    /// Gives another file the owner, the group and the permissions of this one. If this process can't give it away, its own group
    /// may do no more than everybody may.
    package func give(to path: String) {
        let mode = permissions & 0o777
        let isGiven = chown(path, owner, group) == 0
        chmod(path, isGiven ? mode : mode & 0o707 | (mode & 0o007) << 3)
    }

    /// Whether `user` may pass through this directory.
    func canBeEntered(by user: ServerUser) -> Bool { allows(0o100, 0o010, 0o001, user) }

    /// Whether `user` may create files in this directory.
    package func canBeWritten(by user: ServerUser) -> Bool { allows(0o300, 0o030, 0o003, user) }

    private func allows(_ asOwner: mode_t, _ inGroup: mode_t, _ asOther: mode_t, _ user: ServerUser) -> Bool {
        let needed = owner == user.id ? asOwner : group == user.group ? inGroup : asOther
        return permissions & needed == needed
    }
}

/// Opens a regular file of one name. A link, a second name of another file and a pipe are refused, because others may
/// have put them in the file's place.
/// - Parameters:
///   - flags: for `open`.
///   - permissions: of a file that is created.
///
/// Errors: `file`.
func openPlainFile(_ path: String, _ flags: Int32, permissions: mode_t = 0o600) throws(ClusterError) -> Int32 {
    // O_NONBLOCK: opening a pipe would wait for its other end.
    let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, permissions)
    guard descriptor >= 0 else { throw .file(operation: "open", path: path, reason: systemReason()) }
    guard let status = FileStatus(descriptor: descriptor), status.isPlainFile else {
        close(descriptor)
        throw .file(operation: "open", path: path, reason: "it is not a regular file, or has a second name")
    }
    return descriptor
}

/// The first bytes of a regular file of one name, as text; nil when there is none.
func plainText(_ path: String) -> String? {
    do {
        let descriptor = try openPlainFile(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    } catch { return nil }
}

/// The system's last error (`errno`) as text.
func systemReason() -> String {
    String(cString: strerror(errno))
}
