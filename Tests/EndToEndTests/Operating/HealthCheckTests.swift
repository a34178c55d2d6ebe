import Foundation
import Glibc
import Subprocess
import Testing

/// The command of the Dockerfile's `HEALTHCHECK`, run as a container's runtime runs it. No test builds the image.
@Suite("The image's health check", .timeLimit(.minutes(20)))
struct HealthCheckTests {
    @Test("it succeeds without TLS, and fails when nothing answers")
    func plain() async throws {
        try await withTemporaryDirectory { directory in
            let port = try await RunningService.run(dataDirectory: directory + "/data") { service in
                let isHealthy = try await self.isHealthy(port: service.port, certificate: "")
                #expect(isHealthy)
                return service.port
            }
            #expect(try await isHealthy(port: port, certificate: "") == false)
        }
    }

    @Test("it succeeds with a certificate for another name")
    func tls() async throws {
        try await withTemporaryDirectory { directory in
            let (certificate, key) = try await CertificateTests.makeCertificate(
                in: directory, host: "lists.example.com")
            try await RunningService.run(
                dataDirectory: directory + "/data", arguments: ["--tls-certificate", certificate, "--tls-key", key]
            ) { service in
                let isHealthy = try await self.isHealthy(port: service.port, certificate: certificate)
                #expect(isHealthy)
            }
        }
    }

    @Test("it succeeds while the service has all the connections that it may have", arguments: [false, true])
    func full(withTLS: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let made = try await CertificateTests.makeCertificate(in: directory)
            let certificate = withTLS ? made.certificate : ""
            let arguments =
                ["--connections", "20", "--head-timeout", "10m"]
                + (withTLS ? ["--tls-certificate", made.certificate, "--tls-key", made.key] : [])
            try await RunningService.run(dataDirectory: directory + "/data", arguments: arguments) { service in
                var connections = try (1...20).map { _ in try IdleConnection(to: service.port) }
                #expect(try await isHealthy(port: service.port, certificate: certificate))
                // Beyond the limit, this machine has four connections of its own. A connection may be refused because
                // that of the check before it is still counted.
                var isFull = false
                for _ in 1...20 where !isFull {
                    connections.append(try IdleConnection(to: service.port))
                    isFull = try await !isHealthy(port: service.port, certificate: certificate)
                }
                #expect(isFull)
                connections.removeAll()
                #expect(try await becomesHealthy(port: service.port, certificate: certificate))
            }
        }
    }

    /// Whether the check succeeds within a hundred tries.
    private func becomesHealthy(port: String, certificate: String) async throws -> Bool {
        for _ in 1...100 where try await isHealthy(port: port, certificate: certificate) { return true }
        return false
    }

    private func isHealthy(port: String, certificate: String) async throws -> Bool {
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", try Self.command()],
            environment: .inherit.updating(["TROLLEY_PORT": port, "TROLLEY_TLS_CERTIFICATE": certificate]),
            input: .none, output: .discarded, error: .discarded)
        return result.terminationStatus.isSuccess
    }

    private static func command() throws -> String {
        let file = URL(filePath: #filePath).appending(path: "../../../../Dockerfile").standardized
        let text = try String(contentsOf: file, encoding: .utf8).replacing("\\\n", with: " ")
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("HEALTHCHECK ") })
        let command = try #require(line.firstRange(of: " CMD "))
        return String(line[command.upperBound...])
    }
}

/// A connection to this machine that sends nothing. It is closed with the object.
private final class IdleConnection {
    private let socket: Int32

    init(to port: String) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = try #require(UInt16(port)).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
    }

    deinit { close(socket) }
}
