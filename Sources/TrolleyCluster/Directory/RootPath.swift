internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Where a path leads, for a process that is root: walked from `/`, one component at a time, by descriptors.
///
/// A link is followed only where root alone could have put it there. Links of other users are refused: otherwise the
/// owner of one directory on the way could choose any directory of the machine.
final class RootPath {
    /// The deepest directory on the path that exists.
    private(set) var descriptor: Int32
    /// The rest of the path, which doesn't exist.
    private(set) var missing: [String]
    /// Whether root alone decides what is at this path: every directory on the way is root's, and others can't replace
    /// its entries.
    private(set) var isRoots = true
    private let path: String

    /// Changes nothing.
    /// - Parameter path: absolute.
    ///
    /// Errors: `file` for a link that another user than root could have put there, and for a component that is no
    /// directory.
    init(_ path: String) throws(ClusterError) {
        self.path = path
        descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        missing = path.split(separator: "/").reversed().map(String.init)
        var links = 0
        while let name = missing.last {
            let directory = try status()
            isRoots = isRoots && directory.keepsEntries
            let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if next >= 0 {
                missing.removeLast()
                replace(by: next)
                continue
            }
            let reason = errno
            if reason == ENOENT { break }
            guard reason == ELOOP || reason == ENOTDIR, let entry = FileStatus(name, in: descriptor), entry.isLink
            else {
                throw .file(operation: "enter \(name) in", path: path, reason: String(cString: strerror(reason)))
            }
            links += 1
            guard isRoots, entry.owner == 0, directory.permissions & 0o022 == 0, links <= 40,
                let target = Self.target(of: name, in: descriptor)
            else {
                throw .file(
                    operation: "follow \(name) in", path: path,
                    reason: "it is a link that another user than root can change. Give the path without the link")
            }
            missing.removeLast()
            missing += target.split(separator: "/").reversed().map(String.init).filter { $0 != "." }
            if target.hasPrefix("/") { replace(by: open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) }
        }
        missing.reverse()
    }

    deinit { close(descriptor) }

    /// The status of the deepest directory that exists.
    func status() throws(ClusterError) -> FileStatus {
        guard let status = FileStatus(descriptor: descriptor) else {
            throw .file(operation: "enter", path: path, reason: systemReason())
        }
        return status
    }

    /// Creates the missing directories, each with the rights of its parent's owner.
    ///
    /// Errors: `file`.
    func create() throws(ClusterError) {
        while let name = missing.first {
            let parent = try status()
            isRoots = isRoots && parent.keepsEntries
            try ServerUser.withFileRights(of: parent.owner, parent.group, named: "\(parent.owner)") {
                () throws(ClusterError) in
                guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else { throw failure(name) }
            }
            let next = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { throw failure(name) }
            missing.removeFirst()
            replace(by: next)
        }
    }

    /// Whether root alone decides which file is at a path, through all its links.
    static func leadsToRootsFile(_ path: String, links: Int = 0) -> Bool {
        let parts = path.split(separator: "/")
        guard path.hasPrefix("/"), let name = parts.last.map(String.init), links <= 40 else { return false }
        let parent = "/" + parts.dropLast().joined(separator: "/")
        do throws(ClusterError) {
            let directory = try RootPath(parent)
            guard directory.missing.isEmpty, directory.isRoots, try directory.status().keepsEntries,
                let file = FileStatus(name, in: directory.descriptor), file.owner == 0
            else { return false }
            guard file.isLink else { return true }
            guard let target = target(of: name, in: directory.descriptor) else { return false }
            return leadsToRootsFile(target.hasPrefix("/") ? target : "\(parent)/\(target)", links: links + 1)
        } catch {
            // Nobody can say where the path leads.
            return false
        }
    }

    private func replace(by next: Int32) {
        close(descriptor)
        descriptor = next
    }

    private func failure(_ name: String) -> ClusterError {
        .file(operation: "make the directory \(name) for", path: path, reason: systemReason())
    }

    private static func target(of name: String, in directory: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlinkat(directory, name, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension FileStatus {
    /// Whether only root, or an entry's owner, can replace an entry of this directory.
    fileprivate var keepsEntries: Bool { owner == 0 && (permissions & 0o022 == 0 || permissions & 0o1000 != 0) }
}
