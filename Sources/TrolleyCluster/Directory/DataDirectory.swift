internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The layout of the directory that holds a cluster, and who may do what in it.
struct DataDirectory: Sendable {
    let path: String

    var cluster: String { "\(path)/postgres" }
    /// Where a cluster is made, to become `cluster` when it is whole.
    var newCluster: String { "\(path)/postgres.new" }
    var log: String { "\(path)/postgres.log" }
    var postmasterFile: String { "\(cluster)/postmaster.pid" }
    func reserve(_ configuration: ClusterConfiguration) -> Reserve {
        Reserve(path: "\(path)/reserve", size: configuration.isEphemeral ? 0 : configuration.reserve)
    }
    private var socketEntry: String { "\(path)/socket" }

    /// Absolute, because the server changes its working directory.
    init(_ path: String) {
        let absolute = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        self.path = URL(filePath: absolute).standardized.path
    }

    /// Major version of PostgreSQL that wrote the cluster; nil when there is none.
    var version: Int? {
        (try? String(contentsOfFile: "\(cluster)/PG_VERSION", encoding: .utf8)).map(Installation.number)
    }

    var clusterOwner: uid_t? { FileStatus(cluster)?.owner }

    /// Makes the directory, and everything above it.
    func create() throws(ClusterError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw .file(operation: "make the directory", path: path, reason: "\(error)")
        }
    }

    /// Sees to it that `user` can reach its files, and owns them; all of the directory, if the server is to remove it.
    func prepare(for user: ServerUser, isEphemeral: Bool) throws(ClusterError) {
        if let owner = clusterOwner, owner != user.id { throw .notOurs(path: cluster, owner: owner) }
        if user.isOther {
            // The service gives root's rights up, and goes on making and removing files here. A directory that others may write
            // to, such as /tmp, is nobody's to take.
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
        if let size = FileStatus(log)?.size, size > Self.longestLog { rename(log, "\(log).1") }
        let descriptor = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw .file(operation: "open", path: log, reason: systemReason()) }
        defer { close(descriptor) }
        if user.isOther { try attempt("change the owner of", log) { fchown(descriptor, user.id, user.group) } }
    }

    /// Then a start puts the log aside, and begins another.
    private static let longestLog = 16 << 20

    /// Root may enter any directory, the server's user only what lets it in.
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

    /// A directory that is the user's and nobody else's; an existing one must be so already.
    func makePrivate(_ directory: String, for user: ServerUser) throws(ClusterError) {
        if mkdir(directory, 0o700) == 0 {
            if user.isOther { try attempt("change the owner of", directory) { chown(directory, user.id, user.group) } }
            return
        }
        guard let status = FileStatus(directory), status.isDirectory else {
            throw .file(operation: "make the directory", path: directory, reason: systemReason())
        }
        guard status.owner == user.id else { throw .notOurs(path: directory, owner: status.owner) }
        try attempt("change the permissions of", directory) { chmod(directory, 0o700) }
    }

    private func attempt(_ operation: String, _ path: String, _ call: () -> Int32) throws(ClusterError) {
        guard call() == 0 else { throw .file(operation: operation, path: path, reason: systemReason()) }
    }
}

// MARK: - The socket

extension DataDirectory {
    /// `sun_path` holds 108 bytes with its NUL on Linux, 104 elsewhere.
    static let longestSocketPath = 103

    /// Where a server that runs has its socket; nil when there is none.
    var socketDirectory: String? {
        let directory = (try? FileManager.default.destinationOfSymbolicLink(atPath: socketEntry)) ?? socketEntry
        return FileManager.default.fileExists(atPath: "\(directory)/.s.PGSQL.5432") ? directory : nil
    }

    /// An empty directory for the server's socket: in the data directory, or, where that path is too long for a socket,
    /// a short one that `socket` is a link to.
    func makeSocketDirectory(for user: ServerUser) throws(ClusterError) -> String {
        removeSocketDirectory()
        if "\(socketEntry)/.s.PGSQL.5432".utf8.count <= Self.longestSocketPath {
            try makePrivate(socketEntry, for: user)
            return socketEntry
        }
        let directory = try makeShortDirectory(for: user)
        guard symlink(directory, socketEntry) == 0 else {
            throw .file(operation: "make the link", path: socketEntry, reason: systemReason())
        }
        return directory
    }

    /// Also what a killed run has left behind. Nothing uses it: the lock is ours, and no server of an earlier run is left.
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
            // A name that nobody can guess, made 0700: /tmp is everybody's.
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
    /// The server's own word on its state: `starting`, `ready` … (`postmaster.pid`, line 8).
    var status: String? {
        guard let text = try? String(contentsOfFile: postmasterFile, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 7 ? String(lines[7].prefix { $0 != " " }) : nil
    }
}
