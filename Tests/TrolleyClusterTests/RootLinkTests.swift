import FoundationEssentials
import Subprocess
import Testing

@testable import TrolleyCluster

#if canImport(Glibc)
    import Glibc
#endif

/// What the owner of a data directory can put in the place of its files, while root starts a server there. These tests
/// run only as root, for instance in a container.
@Suite(.serialized, .enabled(if: geteuid() == 0), .timeLimit(.minutes(20))) struct RootLinkTests {
    @Test(arguments: ["lock", "service", "postgres.log", "reserve"])
    func `a link in a file's place gives away no file of root's`(_ name: String) async throws {
        try await attack { directory, root in
            let file = try root.file("secret")
            unlink("\(directory.path)/\(name)")
            try directory.link("\(directory.path)/\(name)", to: file)
            await start(directory)
            try root.expectUnchanged("secret")
        }
    }

    @Test(arguments: ["lock", "service", "postgres.log"])
    func `a second name of a file of root's is not taken`(_ name: String) async throws {
        try await attack { directory, root in
            let file = try root.file("secret")
            unlink("\(directory.path)/\(name)")
            try #require(link(file, "\(directory.path)/\(name)") == 0)
            await #expect(throws: ClusterError.self) { try await directory.start().stop() }
            try root.expectUnchanged("secret")
        }
    }

    @Test(arguments: ["lock", "service"])
    func `a lock that an earlier version has made as root is the user's afterwards`(_ name: String) async throws {
        try await attack { directory, _ in
            let lock = "\(directory.path)/\(name)"
            try #require(chown(lock, 0, 0) == 0 && chmod(lock, 0o600) == 0)
            try await directory.start().stop()
            #expect(FileStatus(lock)?.owner == directory.owner)
        }
    }

    @Test(arguments: ["lock", "service"])
    func `another file of root's in a lock's place stays root's`(_ name: String) async throws {
        try await attack { directory, root in
            let file = try root.file("secret")
            try #require(chmod(file, 0o600) == 0 && rename(file, "\(directory.path)/\(name)") == 0)
            await #expect(throws: ClusterError.self) { try await directory.start().stop() }
            #expect(FileStatus("\(directory.path)/\(name)")?.owner == 0)
        }
    }

    @Test func `a pipe in a lock's place holds nobody up`() async throws {
        try await attack { directory, _ in
            unlink("\(directory.path)/lock")
            try #require(mkfifo("\(directory.path)/lock", 0o666) == 0)
            chown("\(directory.path)/lock", directory.owner, directory.owner)
            await #expect(throws: ClusterError.self) { try await directory.start().stop() }
        }
    }

    @Test func `a socket directory that leads elsewhere takes nothing with it`() async throws {
        try await attack { directory, root in
            _ = try root.file("trolley-private/kept")
            try directory.link("\(directory.path)/socket", to: "\(root.path)/trolley-private")
            try await directory.start().stop()
            try root.expectUnchanged("trolley-private/kept")
            #expect(FileStatus("\(root.path)/trolley-private")?.owner == 0)
        }
    }

    @Test func `a cluster's directory that leads elsewhere changes nothing there`() async throws {
        try await attack { directory, root in
            _ = try root.file("other/postmaster.pid")
            let cluster = "\(directory.path)/postgres"
            try FileManager.default.moveItem(atPath: cluster, toPath: "\(cluster).away")
            try directory.link(cluster, to: "\(root.path)/other")
            await start(directory)
            try root.expectUnchanged("other/postmaster.pid")
        }
    }

    @Test func `what an interrupted initialization has left is removed without following links`() async throws {
        try await attack(hasCluster: false) { directory, root in
            _ = try root.file("other/kept")
            try directory.link("\(directory.path)/postgres.new", to: "\(root.path)/other")
            try await directory.start().stop()
            try root.expectUnchanged("other/kept")
            #expect(FileStatus("\(root.path)/other")?.owner == 0)
        }
    }

    @Test func `a data directory that another user has exchanged for a link is refused`() async throws {
        try await ClusterDirectory.temporary("home/data") { directory in
            let root = try RootsFiles(beside: directory)
            _ = try root.file("etc/kept")
            let home = URL(filePath: directory.path).deletingLastPathComponent().path
            chown(home, directory.owner, directory.owner)
            try directory.link(directory.path, to: "\(root.path)/etc")
            for role in [Cluster.Role.service, .command(createsCluster: true), .command(createsCluster: false)] {
                await #expect {
                    try await directory.start(as: role).stop()
                } throws: { error in
                    "\(error)".contains("a link that another user than root can change")
                }
            }
            #expect(FileStatus("\(root.path)/etc")?.owner == 0)
            #expect(await Cluster.connectionString(ofServiceIn: directory.path) == nil)
        }
    }

    @Test func `a directory of root's in another user's directory stays root's`() async throws {
        try await ClusterDirectory.temporary("home/data") { directory in
            let home = URL(filePath: directory.path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            chown(home, directory.owner, directory.owner)
            await #expect {
                try await directory.start().stop()
            } throws: { error in
                if case ClusterError.notRootsAlone = error { true } else { false }
            }
            #expect(FileStatus(directory.path)?.owner == 0)
        }
    }

    @Test func `in another user's directory root's server is that user's`() async throws {
        try await ClusterDirectory.temporary("home/data") { directory in
            let home = URL(filePath: directory.path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
            chown(home, directory.owner, directory.owner)
            let expected = try ServerUser.unprivileged(dataDirectory: directory.path)
            try await directory.start().stop()
            #expect(FileStatus(directory.path)?.owner == directory.owner)
            #expect(FileStatus("\(directory.path)/postgres")?.owner == directory.owner)
            #expect(expected?.id == directory.owner)
        }
    }

    @Test func `root's own link to the data directory is followed`() async throws {
        try await ClusterDirectory.temporary("link/data") { directory in
            let parent = URL(filePath: directory.path).deletingLastPathComponent()
            let real = parent.deletingLastPathComponent().path + "/real"
            try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
            // /tmp is everybody's, so the link is where only root can write.
            try #require(symlink("real", parent.path) == 0)
            try await directory.start().stop()
            #expect(FileStatus("\(real)/data/postgres")?.owner == FileStatus("\(real)/data")?.owner)
        }
    }

    @Test func `the certificate's key is read as root only where root alone decides which file it is`() async throws {
        try await ClusterDirectory.temporary("owned") { directory in
            let root = try RootsFiles(beside: directory)
            let key = try root.file("key.pem")
            try #require(symlink(key, "\(root.path)/live.pem") == 0)
            #expect(PrivilegedFileReader.canRead(key) && PrivilegedFileReader.canRead("\(root.path)/live.pem"))
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
            chown(directory.path, directory.owner, directory.owner)
            try directory.link("\(directory.path)/key.pem", to: key)
            try #require(symlink("\(directory.path)/key.pem", "\(root.path)/round.pem") == 0)
            for path in ["\(directory.path)/key.pem", "\(root.path)/round.pem", "\(root.path)/none.pem"] {
                #expect(!PrivilegedFileReader.canRead(path), "\(path)")
            }
        }
    }

    // MARK: The attack

    /// Runs `body` with a data directory that belongs to the server's user.
    private func attack(
        hasCluster: Bool = true, _ body: (ClusterDirectory, RootsFiles) async throws -> Void
    ) async throws {
        try await ClusterDirectory.temporary { directory in
            if hasCluster {
                try await directory.start().stop()
                #expect(FileStatus(directory.path)?.owner == directory.owner)
            } else {
                try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
                chown(directory.path, directory.owner, directory.owner)
            }
            try await body(directory, try RootsFiles(beside: directory))
        }
    }

    /// Starts and stops a server. It may be refused, or run all the same.
    private func start(_ directory: ClusterDirectory) async {
        do { try await directory.start().stop() } catch {
            #expect(error is ClusterError)
        }
    }
}

/// Files of root's, beside a data directory.
private struct RootsFiles {
    let path: String

    init(beside directory: ClusterDirectory) throws {
        path = URL(filePath: directory.path).deletingLastPathComponent().path + "/roots"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Creates a file that every user can read.
    func file(_ name: String) throws -> String {
        let file = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            atPath: file.deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data("root's".utf8).write(to: file)
        return file.path
    }

    func expectUnchanged(_ name: String) throws {
        let file = "\(path)/\(name)"
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "root's")
        #expect(FileStatus(file)?.owner == 0)
        #expect(FileStatus(file)?.permissions == 0o644 || FileStatus(file)?.permissions == 0o600)
    }
}

extension ClusterDirectory {
    /// The user that runs the server in the tests' directories.
    fileprivate var owner: uid_t {
        getpwnam("postgres")?.pointee.pw_uid ?? getpwnam("nobody")?.pointee.pw_uid ?? 65_534
    }

    /// Creates a link that belongs to the server's user.
    fileprivate func link(_ path: String, to target: String) throws {
        try #require(symlink(target, path) == 0)
        try #require(lchown(path, owner, owner) == 0)
    }
}
