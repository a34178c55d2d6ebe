internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The layout of the directory that contains a cluster, and the permissions in it.
struct DataDirectory: Sendable {
    let path: String

    var cluster: String { "\(path)/postgres" }
    /// A new cluster is created here, and renamed to `cluster` when it is complete.
    var newCluster: String { "\(path)/postgres.new" }
    var log: String { "\(path)/postgres.log" }
    var postmasterFile: String { "\(cluster)/postmaster.pid" }
    func reserve(_ configuration: ClusterConfiguration) -> DiskReserve {
        DiskReserve(path: "\(path)/reserve", size: configuration.isEphemeral ? 0 : configuration.reserve)
    }
    private var socketEntry: String { "\(path)/socket" }

    /// `path` becomes absolute, because the server changes its working directory.
    init(_ path: String) {
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        self.path = URL(filePath: absolute).standardized.path
    }

    /// The major version of PostgreSQL that wrote the cluster; nil when there is no cluster.
    var version: Int? {
        (try? String(contentsOfFile: "\(cluster)/PG_VERSION", encoding: .utf8)).map(Installation.number)
    }

    var clusterOwner: uid_t? { FileStatus(cluster)?.owner }

    /// Creates the directory and its parents.
    func create() throws(ClusterError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(operation: "make the directory", path: path, reason: "\(error)")
        }
    }

    /// Ensures that `user` can reach the cluster's files and owns them. If the server is to remove the directory,
    /// `user` must own every file in it.
    func prepare(for user: ServerUser, isEphemeral: Bool) throws(ClusterError) {
        if let owner = clusterOwner, owner != user.id { throw .notOwned(path: cluster, owner: owner) }
        if user.isOther {
            // The service stops being root, but must still create and remove files here. A directory that others can
            // write to, such as /tmp, keeps its owner.
            let isRoots = FileStatus(path, followingLinks: true).map { $0.owner == 0 && $0.permissions & 0o002 == 0 }
            if isEphemeral || isRoots == true {
                for path in [path, "\(path)/lock", "\(path)/service"] where FileStatus(path) != nil {
                    try attempt("change the owner of", path) { chown(path, user.id, user.group) }
                }
            }
            if let status = FileStatus(path), !status.canBeEntered(by: user) {
                try attempt("change the permissions of", path) { chmod(path, status.permissions | 0o011) }
            }
            try checkReachable(by: user)
        }
        if let size = FileStatus(log)?.size, size > Self.maxLogBytes { rename(log, "\(log).1") }
        let descriptor = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw .file(operation: "open", path: log, reason: systemReason()) }
        defer { close(descriptor) }
        if user.isOther { try attempt("change the owner of", log) { fchown(descriptor, user.id, user.group) } }
    }

    /// When the log is larger than this, a start renames it and begins a new one.
    private static let maxLogBytes = 16 << 20

    /// Root may enter any directory, the server's user only those whose permissions allow it.
    private func checkReachable(by user: ServerUser) throws(ClusterError) {
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
    func makePrivate(_ directory: String, for user: ServerUser) throws(ClusterError) {
        if mkdir(directory, 0o700) == 0 {
            if user.isOther { try attempt("change the owner of", directory) { chown(directory, user.id, user.group) } }
            return
        }
        guard let status = FileStatus(directory), status.isDirectory else {
            throw .file(operation: "make the directory", path: directory, reason: systemReason())
        }
        guard status.owner == user.id else { throw .notOwned(path: directory, owner: status.owner) }
        try attempt("change the permissions of", directory) { chmod(directory, 0o700) }
    }

    private func attempt(_ operation: String, _ path: String, _ call: () -> Int32) throws(ClusterError) {
        guard call() == 0 else { throw .file(operation: operation, path: path, reason: systemReason()) }
    }
}

// MARK: - The socket

extension DataDirectory {
    /// `sun_path` holds 108 bytes with its NUL on Linux, 104 elsewhere.
    static let maxSocketPathLength = 103

    /// The directory of the running server's socket; nil when there is none.
    var socketDirectory: String? {
        let directory = (try? FileManager.default.destinationOfSymbolicLink(atPath: socketEntry)) ?? socketEntry
        return FileManager.default.fileExists(atPath: "\(directory)/.s.PGSQL.5432") ? directory : nil
    }

    /// Creates an empty directory for the server's socket: in the data directory, or, where that path is too long for a
    /// socket, a short path to which `socket` is a link.
    func makeSocketDirectory(for user: ServerUser) throws(ClusterError) -> String {
        removeSocketDirectory()
        if "\(socketEntry)/.s.PGSQL.5432".utf8.count <= Self.maxSocketPathLength {
            try makePrivate(socketEntry, for: user)
            return socketEntry
        }
        let directory = try makeShortDirectory(for: user)
        guard symlink(directory, socketEntry) == 0 else {
            throw .file(operation: "make the link", path: socketEntry, reason: systemReason())
        }
        return directory
    }

    /// Also removes what a killed run has left. Nothing uses it: this process holds the lock, and no server of an
    /// earlier run is left.
    func removeSocketDirectory() {
        guard let status = FileStatus(socketEntry) else { return }
        if status.isLink, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: socketEntry),
            URL(filePath: target).lastPathComponent.hasPrefix(Self.shortPrefix)
        {
            try? FileManager.default.removeItem(atPath: target)
        }
        try? FileManager.default.removeItem(atPath: socketEntry)
    }

    private static let shortPrefix = "trolley-"

    private func makeShortDirectory(for user: ServerUser) throws(ClusterError) -> String {
        let runtime = user.isOther ? nil : ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
        for parent in [runtime, "/tmp"].compactMap({ $0 }) where parent.hasPrefix("/") && parent.utf8.count < 60 {
            var template = Array("\(parent)/\(Self.shortPrefix)XXXXXX".utf8CString)
            // An unpredictable name with mode 0700, because every user can write to /tmp.
            guard mkdtemp(&template) != nil else { continue }
            let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if user.isOther { try attempt("change the owner of", directory) { chown(directory, user.id, user.group) } }
            return directory
        }
        throw .file(operation: "make a directory in", path: "/tmp", reason: systemReason())
    }
}

// MARK: - The server's own file

extension DataDirectory {
    /// The state that the server reports: `starting`, `ready` … (`postmaster.pid`, line 8).
    var status: String? {
        guard let text = try? String(contentsOfFile: postmasterFile, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 ? String(lines[7].prefix { $0 != " " }) : nil
    }
}
