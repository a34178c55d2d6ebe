internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The layout of the directory that contains a cluster, and the permissions in it.
///
/// A process that is root handles every file in it with the rights of `user`, to whom the directory belongs.
struct DataDirectory: Sendable {
    let path: String
    /// The user that runs the server.
    let user: ServerUser

    var cluster: String { "\(path)/postgres" }
    /// A new cluster is created here, and renamed to `cluster` when it is complete.
    var newCluster: String { "\(path)/postgres.new" }
    var log: String { "\(path)/postgres.log" }
    var postmasterFile: String { "\(cluster)/postmaster.pid" }
    func reserve(_ configuration: ClusterConfiguration) -> DiskReserve {
        DiskReserve(path: "\(path)/reserve", size: configuration.isEphemeral ? 0 : configuration.reserve, user: user)
    }
    private var socketEntry: String { "\(path)/socket" }

    /// Finds the user: the owner of the cluster, otherwise of the directory, otherwise of the directory in which root
    /// would create it; see `ServerUser.choose`. Changes nothing.
    /// - Parameter path: becomes absolute, because the server changes its working directory.
    ///
    /// Errors: `file` when another user than root could lead root elsewhere by a link; `noUnprivilegedUser`.
    init(_ path: String) throws(ClusterError) {
        self.path = Self.absolute(path)
        let isRoot = geteuid() == 0
        user = try ServerUser.choose(owners: isRoot ? Self.owners(RootPath(self.path)) : [])
    }

    private init(_ path: String, _ user: ServerUser) {
        self.path = path
        self.user = user
    }

    private static func absolute(_ path: String) -> String {
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        return URL(filePath: absolute).standardized.path
    }

    private static func owners(_ directory: RootPath) throws(ClusterError) -> [uid_t] {
        let cluster = directory.missing.isEmpty ? FileStatus("postgres", in: directory.descriptor) : nil
        return [cluster?.owner, try directory.status().owner].compactMap(\.self)
    }

    /// Opens the directory for this process, and ensures that the user can create files in it. Root gives it to the user
    /// if it is root's own.
    /// - Parameter creating: whether to create the directory and its parents.
    /// - Returns: nil when there is no cluster and `creating` is false; nothing was changed then.
    ///
    /// Errors: `file`, `notUsable`, `notRootsAlone`, `unreachable`, `noUnprivilegedUser`.
    static func open(_ path: String, creating: Bool) throws(ClusterError) -> DataDirectory? {
        let path = absolute(path)
        guard geteuid() == 0 else {
            let directory = DataDirectory(path, try ServerUser.choose(owners: []))
            if creating { try directory.create() }
            return creating || directory.version != nil ? directory : nil
        }
        let place = try RootPath(path)
        if creating { try place.create() }
        guard place.missing.isEmpty, creating || FileStatus("postgres", in: place.descriptor) != nil else { return nil }
        let directory = DataDirectory(path, try ServerUser.choose(owners: owners(place)))
        try directory.take(place)
        try directory.takeLocks(place.descriptor)
        try directory.checkReachable()
        return creating || directory.version != nil ? directory : nil
    }

    /// Gives a directory of root's to the user. A directory that others can write to, such as /tmp, stays root's.
    private func take(_ place: RootPath) throws(ClusterError) {
        let status = try place.status()
        if status.owner == 0, status.permissions & 0o002 == 0 {
            // Otherwise another user could have put any directory of root's there.
            guard place.isRoots else { throw .notRootsAlone(directory: path, user: user.name) }
            guard fchown(place.descriptor, user.id, user.group) == 0 else {
                throw .file(operation: "change the owner of", path: path, reason: systemReason())
            }
        } else if !status.canBeWritten(by: user) {
            throw .notUsable(directory: path, user: user.name)
        }
    }

    /// The major version of PostgreSQL that wrote the cluster; nil when there is no cluster.
    var version: Int? { text("\(cluster)/PG_VERSION").map(Installation.number) }

    /// The first bytes of a file; nil when there is none.
    func text(_ file: String) -> String? { user.withFileRightsIfPossible { plainText(file) } ?? nil }

    private func create() throws(ClusterError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(operation: "make the directory", path: path, reason: "\(error)")
        }
    }

    /// Ensures that the user owns the cluster, and begins the log.
    func prepare() throws(ClusterError) {
        try user.withFileRights { () throws(ClusterError) in
            if let owner = FileStatus(cluster)?.owner, owner != user.id { throw .notOwned(path: cluster, owner: owner) }
            if let size = FileStatus(log)?.size, size > Self.maxLogBytes { rename(log, "\(log).1") }
            close(try openPlainFile(log, O_WRONLY | O_APPEND | O_CREAT, permissions: 0o640))
        }
    }

    /// When the log is larger than this, a start renames it and begins a new one.
    private static let maxLogBytes = 16 << 20

    /// Root may enter any directory, the server's user only those whose permissions allow it.
    private func checkReachable() throws(ClusterError) {
        var ancestor = path
        while ancestor != "/", !ancestor.isEmpty {
            if let status = FileStatus(ancestor, followingLinks: true), !status.canBeEntered(by: user) {
                throw .unreachable(directory: path, user: user.name, ancestor: ancestor)
            }
            ancestor = URL(filePath: ancestor).deletingLastPathComponent().path
            while ancestor.count > 1, ancestor.hasSuffix("/") { ancestor.removeLast() }
        }
    }

    /// Creates a directory that only the user can enter. An existing directory must belong to the user.
    func makePrivate(_ directory: String) throws(ClusterError) {
        try user.withFileRights { () throws(ClusterError) in
            if mkdir(directory, 0o700) == 0 { return }
            guard let status = FileStatus(directory), status.isDirectory else {
                throw .file(operation: "make the directory", path: directory, reason: systemReason())
            }
            guard status.owner == user.id else { throw .notOwned(path: directory, owner: status.owner) }
            guard chmod(directory, 0o700) == 0 else {
                throw .file(operation: "change the permissions of", path: directory, reason: systemReason())
            }
        }
    }
}

// MARK: - The socket

extension DataDirectory {
    /// `sun_path` holds 108 bytes with its NUL on Linux, 104 elsewhere.
    static let maxSocketPathLength = 103

    /// The directory of the running server's socket; nil when there is none.
    var socketDirectory: String? {
        user.withFileRightsIfPossible {
            let directory = shortDirectory ?? socketEntry
            return FileManager.default.fileExists(atPath: "\(directory)/\(Self.socket)") ? directory : nil
        } ?? nil
    }

    private static let socket = ".s.PGSQL.5432"

    /// Creates an empty directory for the server's socket: in the data directory, or, where that path is too long for a
    /// socket, a short path to which `socket` is a link.
    func makeSocketDirectory() throws(ClusterError) -> String {
        removeSocketDirectory()
        if "\(socketEntry)/\(Self.socket)".utf8.count <= Self.maxSocketPathLength {
            try makePrivate(socketEntry)
            return socketEntry
        }
        return try user.withFileRights { () throws(ClusterError) in
            let directory = try makeShortDirectory()
            guard symlink(directory, socketEntry) == 0 else {
                throw .file(operation: "make the link", path: socketEntry, reason: systemReason())
            }
            return directory
        }
    }

    /// Also removes what a killed run has left. Nothing uses it: this process holds the lock, and no server of an
    /// earlier run is left. Removes no other files than the server's.
    func removeSocketDirectory() {
        _ = user.withFileRightsIfPossible {
            let directories = [shortDirectory, socketEntry].compactMap(\.self)
            for directory in directories where FileStatus(directory)?.isDirectory == true {
                for name in [Self.socket, "\(Self.socket).lock"] { unlink("\(directory)/\(name)") }
                rmdir(directory)
            }
            if FileStatus(socketEntry)?.isLink == true { unlink(socketEntry) }
        }
    }

    /// The directory to which `socket` is a link, if `makeShortDirectory` can have made it.
    private var shortDirectory: String? {
        guard FileStatus(socketEntry)?.isLink == true,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: socketEntry),
            target.hasPrefix("/"), URL(filePath: target).lastPathComponent.hasPrefix(Self.shortPrefix)
        else { return nil }
        return target
    }

    private static let shortPrefix = "trolley-"

    private func makeShortDirectory() throws(ClusterError) -> String {
        let runtime = user.isOther ? nil : ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
        for parent in [runtime, "/tmp"].compactMap({ $0 }) where parent.hasPrefix("/") && parent.utf8.count < 60 {
            var template = Array("\(parent)/\(Self.shortPrefix)XXXXXX".utf8CString)
            // An unpredictable name with mode 0700, because every user can write to /tmp.
            guard mkdtemp(&template) != nil else { continue }
            return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        throw .file(operation: "make a directory in", path: "/tmp", reason: systemReason())
    }
}

// MARK: - The server's own file

extension DataDirectory {
    /// The state that the server reports: `starting`, `ready` … (`postmaster.pid`, line 8).
    var status: String? {
        guard let text = text(postmasterFile) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 ? String(lines[7].prefix { $0 != " " }) : nil
    }
}
