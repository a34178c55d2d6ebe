import FoundationEssentials
import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyTestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// Services and servers that are killed with -9.
@Suite(.timeLimit(.minutes(20))) struct CrashTests {
    @Test func `a server that is killed is started again, with all that was committed`() async throws {
        try await ClusterDirectory.temporary { directory in
            let cluster = try await directory.start()
            try await cluster.execute("CREATE TABLE thing AS SELECT 7 AS a")
            let killed = try #require(directory.postmaster)
            kill(killed, SIGKILL)
            try await eventually("the server is back") {
                guard directory.postmaster != killed else { return false }
                return (try? await cluster.execute("SELECT a FROM thing")) != nil
            }
            await cluster.stop()
        }
    }

    @Test func `when the service is killed its server ends too`() async throws {
        try await ClusterDirectory.temporary { directory in
            let postmaster = try await ClusterHost.run(in: directory.path) { _, url in
                try await store(url)
                return directory.postmaster
            }
            let ended = try #require(postmaster)
            try await eventually("the server has ended") { kill(ended, 0) != 0 }
            let cluster = try await directory.start()
            #expect(try await cluster.execute("SELECT a FROM thing")[0].decode(Int.self, at: 0) == 7)
            await cluster.stop()
        }
    }

    @Test func `when both are killed, the next start recovers`() async throws {
        try await ClusterDirectory.temporary { directory in
            try await ClusterHost.run(in: directory.path) { process, url in
                try await store(url)
                // Kill the shell between them first, so that nothing can shut the server down properly.
                let postmaster = try #require(directory.postmaster)
                kill(process, SIGSTOP)
                kill(try #require(parent(of: postmaster)), SIGKILL)
                kill(process, SIGKILL)
                kill(postmaster, SIGKILL)
            }
            // The socket and the lock files still exist.
            #expect(directory.postmaster != nil)
            let cluster = try await directory.start()
            #expect(try await cluster.execute("SELECT a FROM thing")[0].decode(Int.self, at: 0) == 7)
            await cluster.stop()
        }
    }

    @Test func `a server that has outlived its service is stopped, and a new one started`() async throws {
        try await ClusterDirectory.temporary { directory in
            let orphan = try await ClusterHost.run(in: directory.path) { process, url in
                try await store(url)
                let postmaster = try #require(directory.postmaster)
                let shell = try #require(parent(of: postmaster))
                // A service that saw its shell end would end what is left of the server, and start another.
                kill(process, SIGSTOP)
                // Kill the shell and its watching child, so that nothing signals the server.
                for child in children(of: shell) where child != postmaster { kill(child, SIGKILL) }
                kill(shell, SIGKILL)
                kill(process, SIGKILL)
                return postmaster
            }
            #expect(kill(orphan, 0) == 0)
            let cluster = try await directory.start()
            #expect(directory.postmaster != orphan)
            #expect(try await cluster.execute("SELECT a FROM thing")[0].decode(Int.self, at: 0) == 7)
            await cluster.stop()
        }
    }

    @Test func `a stale pid file is no obstacle, even if its number is another process's by now`() async throws {
        try await ClusterDirectory.temporary { directory in
            await (try directory.start()).stop()
            let stranger = try #require(parent(of: getpid()))
            try "\(stranger)\n\(directory.path)/postgres\n1\n5432\n\n\n1 1\nready   \n".write(
                toFile: directory.postmasterFile, atomically: false, encoding: .utf8)
            let cluster = try await directory.start()
            try await cluster.execute("SELECT 1")
            await cluster.stop()
        }
    }

    private func store(_ url: String) async throws {
        _ = try await Connection.connect(PostgresConfiguration(url)).execute("CREATE TABLE thing AS SELECT 7 AS a")
    }

    private func parent(of process: pid_t) -> pid_t? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        // "123 (name) S 1 …": the name may hold spaces.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 ? pid_t(fields[1]) : nil
    }

    private func children(of process: pid_t) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap(pid_t.init).filter { parent(of: $0) == process }
    }
}
