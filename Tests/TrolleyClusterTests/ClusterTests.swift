import FoundationEssentials
import Testing
import TrolleyCluster
import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(20))) struct ClusterTests {
    @Test func `stored data is there after a stop and a start`() async throws {
        try await ClusterDirectory.temporary { directory in
            let first = try await directory.start()
            try await first.execute("CREATE TABLE thing AS SELECT 7 AS a")
            await first.stop()
            #expect(directory.postmaster == nil)
            let second = try await directory.start()
            #expect(try await second.execute("SELECT a FROM thing")[0].decode(Int.self, at: 0) == 7)
            await second.stop()
        }
    }

    @Test func `it is durable, in UTF-8, checked, and reachable by a private socket only`() async throws {
        try await ClusterDirectory.temporary { directory in
            let cluster = try await directory.start()
            let rows = try await cluster.execute(
                """
                SELECT current_setting('fsync'), current_setting('synchronous_commit'), current_setting('server_encoding'),
                       current_setting('data_checksums'), current_setting('listen_addresses')
                """)
            let settings = try (0..<5).map { try rows[0].decode(String.self, at: $0) }
            #expect(settings == ["on", "on", "UTF8", "on", ""])
            var status = stat()
            #expect(stat("\(directory.path)/socket", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
            await cluster.stop()
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `a cluster of somebody whom this machine doesn't know is left alone`()
        async throws
    {
        try await ClusterDirectory.temporary { directory in
            try await directory.start().stop()
            chown("\(directory.path)/postgres", 4242, 4242)
            await #expect {
                try await directory.start()
            } throws: { error in
                if case ClusterError.notOwned(_, owner: 4242) = error { true } else { false }
            }
            var status = stat()
            #expect(stat("\(directory.path)/postgres", &status) == 0 && status.st_uid == 4242)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func `started by root, the server is another user's`() async throws {
        try await ClusterDirectory.temporary { directory in
            let cluster = try await directory.start()
            var status = stat()
            let postmaster = try #require(directory.postmaster)
            #expect(stat("/proc/\(postmaster)", &status) == 0)
            #expect(status.st_uid != 0)
            await cluster.stop()
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a place that the server's user can't enter is refused, and says where`() async throws {
        try await ClusterDirectory.temporary("private/data") { directory in
            let ancestor = URL(filePath: directory.path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: ancestor, withIntermediateDirectories: true)
            chmod(ancestor, 0o700)
            await #expect {
                try await directory.start()
            } throws: { error in
                guard case .unreachable(_, _, let found) = error as? ClusterError else { return false }
                return found.hasSuffix("/private") && "\(error)".contains("/var/lib/trolley")
            }
        }
    }

    @Test func `a second service on the same directory is refused, and told which process has it`() async throws {
        try await ClusterDirectory.temporary { directory in
            let first = try await directory.start()
            await #expect {
                try await directory.start()
            } throws: { error in
                guard case .inUse(_, let process) = error as? ClusterError else { return false }
                return process == getpid() && "\(error)".contains("in use by another service")
            }
            try await first.execute("SELECT 1")
            await first.stop()
            await (try directory.start()).stop()
        }
    }

    @Test func `a path too long for a socket gets a short one, gone after the stop`() async throws {
        try await ClusterDirectory.temporary(String(repeating: "long/", count: 20) + "data") { directory in
            let cluster = try await directory.start()
            try await cluster.execute("SELECT 1")
            let socket = try FileManager.default.destinationOfSymbolicLink(atPath: "\(directory.path)/socket")
            #expect(socket.utf8.count < 80)
            var status = stat()
            #expect(stat(socket, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
            await cluster.stop()
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }

    @Test func `a directory with a space and a percent sign works`() async throws {
        try await ClusterDirectory.temporary("100 % 'mine'") { directory in
            let cluster = try await directory.start()
            try await cluster.execute("SELECT 1")
            await cluster.stop()
        }
    }

    @Test func `an interrupted initialization is no obstacle`() async throws {
        try await ClusterDirectory.temporary { directory in
            let remains = "\(directory.path)/postgres.new/base"
            try FileManager.default.createDirectory(atPath: remains, withIntermediateDirectories: true)
            if geteuid() == 0, let user = getpwnam("postgres") ?? getpwnam("nobody") {
                let (id, group) = (user.pointee.pw_uid, user.pointee.pw_gid)
                for path in [remains, "\(directory.path)/postgres.new"] { chown(path, id, group) }
            }
            let cluster = try await directory.start()
            try await cluster.execute("SELECT 1")
            await cluster.stop()
        }
    }

    @Test func `a server that can't start says why`() async throws {
        try await ClusterDirectory.temporary { directory in
            var configuration = directory.configuration
            configuration.settings["shared_buffers"] = "nonsense"
            await #expect {
                _ = try await Cluster.start(configuration, logger: .quiet)
            } throws: { error in
                "\(error)".contains("shared_buffers")
            }
            await (try directory.start()).stop()
        }
    }
}
