import FoundationEssentials
import Testing

@testable import TrolleyCluster

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(20))) struct InstallationTests {
    /// A directory with an `initdb` and a `postgres` that only prints its version.
    private func withBinaries(version: String, _ body: (String) async throws -> Void) async throws {
        try await ClusterDirectory.temporary("bin") { directory in
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            for name in ["initdb", "postgres"] {
                let path = "\(directory.path)/\(name)"
                try "#!/bin/sh\necho 'postgres (PostgreSQL) \(version)'\n".write(
                    toFile: path, atomically: false, encoding: .utf8)
                chmod(path, 0o755)
            }
            try await body(directory.path)
        }
    }

    @Test(arguments: [("15.18 (Debian 15.18-0+deb12u1)", 15), ("18beta1", 18)])
    func `the version is read`(_ text: String, _ version: Int) async throws {
        try await withBinaries(version: text) { directory in
            let installation = try await Installation.find(in: directory, dataVersion: nil)
            #expect(installation.version == version)
        }
    }

    @Test func `an old version is refused`() async throws {
        try await withBinaries(version: "14.2") { directory in
            await #expect(throws: ClusterError.tooOld(version: 14, path: directory)) {
                _ = try await Installation.find(in: directory, dataVersion: nil)
            }
        }
    }

    @Test func `another version than the data's is refused`() async throws {
        try await withBinaries(version: "17.1") { directory in
            await #expect(throws: ClusterError.otherVersion(data: 16, installed: [17])) {
                _ = try await Installation.find(in: directory, dataVersion: 16)
            }
        }
    }

    @Test func `nothing installed says where it looked`() async throws {
        await #expect(throws: ClusterError.notInstalled(searched: ["/nonexistent"])) {
            _ = try await Installation.find(in: "/nonexistent", dataVersion: nil)
        }
    }

    @Test func `this machine's own is found`() async throws {
        let installation = try await Installation.find(in: nil, dataVersion: nil)
        #expect(installation.version >= 15)
    }
}
