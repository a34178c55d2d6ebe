import Foundation
import Glibc
import Subprocess
import Testing
import TrolleyTestSupport

/// `trolleyd serve` and root's rights. These tests run only as root, for instance in a container.
@Suite("Started by root", .serialized, .enabled(if: geteuid() == 0), .timeLimit(.minutes(20)))
struct RootTests {
    @Test("it listens below 1024, gives root up in every thread, and still rereads a key that only root may read")
    func rights() async throws {
        try await withTemporaryDirectory { directory in
            let secrets = directory + "/secrets"
            try FileManager.default.createDirectory(
                atPath: secrets, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try await certificate(in: secrets)
            let old = try String(contentsOfFile: secrets + "/cert.pem", encoding: .utf8)
            let port = try #require((600...1_000).shuffled().first(where: FreePort.isFree))
            try await RunningService.run(
                dataDirectory: directory + "/data", port: "\(port)",
                arguments: ["--tls-certificate", secrets + "/cert.pem", "--tls-key", secrets + "/key.pem"]
            ) { service in
                try await eventually("it is ready") { try await service.isReady(trusting: old, in: directory) }
                // The service and its PostgreSQL run as one user without root's rights.
                let user = try owner(of: directory + "/data/postgres")
                #expect(user != 0)
                for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.process)/task") {
                    // A thread may have ended after it was listed.
                    guard let status = try? status(of: "\(service.process)/task/\(thread)") else { continue }
                    #expect(Set(status["Uid"] ?? []) == ["\(user)"], "thread \(thread)")
                    #expect(Set(status["Gid"] ?? []).count == 1 && status["Gid"]?.first != "0")
                    #expect(status["Groups"] == [])
                    for capabilities in ["CapPrm", "CapEff", "CapAmb"] {
                        #expect(status[capabilities] == ["0000000000000000"], "\(capabilities)")
                    }
                }
                // certbot replaces a certificate with new files of the same names.
                try FileManager.default.createDirectory(atPath: secrets + "/new", withIntermediateDirectories: false)
                try await certificate(in: secrets + "/new")
                let new = try String(contentsOfFile: secrets + "/new/cert.pem", encoding: .utf8)
                for file in ["cert.pem", "key.pem"] {
                    #expect(rename(secrets + "/new/" + file, secrets + "/" + file) == 0)
                }
                #expect(try await !service.isReady(trusting: new, in: directory))
                kill(service.process, SIGHUP)
                try await eventually("the new certificate is used", every: .milliseconds(50)) {
                    try await service.isReady(trusting: new, in: directory)
                }
                #expect(try await !service.isReady(trusting: old, in: directory))
            }
        }
    }

    @Test("without root's rights it starts its PostgreSQL again, stops it, and is started again by root")
    func supervision() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            for _ in 0..<2 {
                try await RunningService.run(dataDirectory: data) { service in
                    #expect(try status(of: "\(service.process)")["Uid"]?.contains("0") == false)
                    let before = try postmaster(in: data)
                    kill(before, SIGKILL)
                    try await eventually("PostgreSQL is back", every: .milliseconds(50)) {
                        try await service.isReady() && postmaster(in: data) != before
                    }
                }
                try await eventually("the postmaster has ended") {
                    kill(try postmaster(in: data, orZero: true), 0) != 0
                }
            }
        }
    }

    @Test("beside it, root's commands work")
    func commands() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            try await RunningService.run(dataDirectory: data) { _ in
                for command in ["migrate", "epoch"] {
                    _ = try await Programs.output(of: Programs.trolleyd, command, "--data-directory", data)
                }
            }
        }
    }

    // MARK: Looking

    private func status(of process: String) throws -> [String: [String]] {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                (String(line[0]), line.count < 2 ? [] : line[1].split(whereSeparator: \.isWhitespace).map(String.init))
            })
    }

    private func owner(of path: String) throws -> UInt32 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.ownerAccountID] as? NSNumber).uint32Value
    }

    private func postmaster(in data: String, orZero: Bool = false) throws -> pid_t {
        let file = data + "/postgres/postmaster.pid"
        if orZero, !FileManager.default.fileExists(atPath: file) { return pid_t.max }
        // The file does not exist while the server restarts.
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return pid_t.max }
        return text.split(separator: "\n").first.flatMap { pid_t($0) } ?? pid_t.max
    }

    private func certificate(in directory: String) async throws {
        let result = try await Subprocess.run(
            .name("openssl"),
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", directory + "/key.pem", "-out", directory + "/cert.pem",
            ], output: .discarded, error: .string(limit: 1 << 16))
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        chmod(directory + "/key.pem", 0o600)
    }
}

extension RunningService {
    /// - Parameter certificate: the only one to trust, in PEM; nil for a service without TLS.
    fileprivate func isReady(trusting certificate: String? = nil, in directory: String = "/tmp") async throws -> Bool {
        var arguments = ["--fail", "--silent", "--max-time", "30", address + "/readyz"]
        if let certificate {
            let file = directory + "/trusted.pem"
            try certificate.write(toFile: file, atomically: true, encoding: .utf8)
            arguments += ["--cacert", file]
        }
        return try await Subprocess.run(
            .name("curl"), arguments: Arguments(arguments), output: .discarded, error: .discarded
        ).terminationStatus.isSuccess
    }
}
