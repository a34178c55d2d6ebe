import FoundationEssentials
import Testing
import TrolleyCluster
import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#endif

/// Commands beside a service, to which the directory belongs.
@Suite(.timeLimit(.minutes(20))) struct HandoverTests {
    @Test func `a command that only reads creates no cluster`() async throws {
        try await ClusterDirectory.temporary { directory in
            await #expect(throws: ClusterError.noCluster(directory.path)) {
                try await directory.start(as: .command(createsCluster: false))
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
    }

    @Test func `a service that starts gets the directory from a command`() async throws {
        try await ClusterDirectory.temporary { directory in
            let command = try await directory.start(as: .command(createsCluster: true))
            try await command.execute("CREATE TABLE thing AS SELECT 7 AS a")
            let service = try await directory.start()
            #expect(command.isHandedOver)
            #expect(try await service.execute("SELECT a FROM thing")[0].decode(Int.self, at: 0) == 7)
            await command.stop()
            try await service.execute("SELECT 1")
            await service.stop()
        }
    }

    @Test func `a command gets nothing from a service, and finds its server`() async throws {
        try await ClusterDirectory.temporary { directory in
            let service = try await directory.start()
            await #expect {
                try await directory.start(as: .command(createsCluster: false))
            } throws: { error in
                if case .inUse = error as? ClusterError { true } else { false }
            }
            let url = await Cluster.connectionString(ofServiceIn: directory.path)
            #expect(url == service.connectionString())
            await service.stop()
            #expect(await Cluster.connectionString(ofServiceIn: directory.path) == nil)
        }
    }

    @Test func `a service that was killed gets the directory back from the command that has taken it`() async throws {
        try await ClusterDirectory.temporary { directory in
            try await ClusterHost.run(in: directory.path) { process, _ in
                _ = kill(process, SIGKILL)
            }
            let command = try await directory.start(as: .command(createsCluster: false))
            let service = try await directory.start()
            #expect(command.isHandedOver)
            try await service.execute("SELECT 1")
            await service.stop()
        }
    }
}
