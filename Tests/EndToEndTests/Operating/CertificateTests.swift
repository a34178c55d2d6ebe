import FoundationEssentials
import Subprocess
import Testing

/// A service with an invalid certificate, or with one of an authority that the system doesn't know, as in a household.
@Suite("Certificates", .timeLimit(.minutes(20)))
struct CertificateTests {
    @Test("a device keeps the certificates that it was given with its session, also when their file is gone")
    func kept() async throws {
        try await withTemporaryDirectory { directory in
            let (certificate, key) = try await Self.makeCertificate(in: directory)
            let arguments = ["--tls-certificate", certificate, "--tls-key", key]
            try await RunningService.run(dataDirectory: directory + "/data", arguments: arguments) { service in
                let alice = CommandLineDevice(home: directory + "/alice")
                let address = "https://localhost:\(service.port)"
                let own = directory + "/own.pem"
                try FileManager.default.copyItem(atPath: certificate, toPath: own)
                try await alice(
                    "sign-up", address, "--email", "alice@example.com", "--name", "Alice", "--ca-file", own)
                try FileManager.default.removeItem(atPath: own)
                try await alice("new", "Weekly shop")
                try await alice("add", "milk")
                let synced = try await alice("sync", "--json")
                #expect(synced.contains(#""waiting":0"#), "\(synced)")
                // Signing in again while signed in keeps the certificates, too.
                try await alice("sign-in", address, "--email", "alice@example.com")
                // Signing out removes them.
                try await alice("sign-out")
                let said = try await failure(
                    ["sign-in", address, "--email", "alice@example.com"], home: directory + "/alice")
                #expect(said.contains("signed by an authority that this device doesn't know"), "\(said)")
            }
        }
    }

    @Test("a device explains why a certificate isn't trusted")
    func wrong() async throws {
        try await withTemporaryDirectory { directory in
            let (good, key) = try await Self.makeCertificate(in: directory)
            let (expired, expiredKey) = try await Self.makeCertificate(in: directory, named: "expired", days: "-1")
            let (other, otherKey) = try await Self.makeCertificate(
                in: directory, named: "other", host: "lists.example.com")
            func said(_ certificate: String, _ key: String, trusting authorities: String?) async throws -> String {
                try await RunningService.run(
                    dataDirectory: directory + "/data", arguments: ["--tls-certificate", certificate, "--tls-key", key]
                ) { service in
                    try await failure(
                        ["sign-in", "https://localhost:\(service.port)", "--email", "alice@example.com"]
                            + (authorities.map { ["--ca-file", $0] } ?? []), home: directory + "/bob")
                }
            }
            let unknown = try await said(good, key, trusting: nil)
            #expect(unknown.contains("is signed by an authority that this device doesn't know"), "\(unknown)")
            #expect(unknown.contains("--ca-file FILE"))
            let foreign = try await said(good, key, trusting: other)
            #expect(foreign.contains("neither the system's nor those of the CA file"), "\(foreign)")
            let old = try await said(expired, expiredKey, trusting: expired)
            #expect(old.contains("the certificate of localhost expired on 20"), "\(old)")
            let named = try await said(other, otherKey, trusting: other)
            #expect(named.contains("for lists.example.com, not for localhost"), "\(named)")
            try await RunningService.run(dataDirectory: directory + "/data") { service in
                let clear = try await failure(
                    ["sign-in", "https://localhost:\(service.port)", "--email", "alice@example.com"],
                    home: directory + "/bob")
                #expect(clear.contains("nothing speaks TLS at localhost:\(service.port)"), "\(clear)")
            }
            let missing = try await failure(
                ["sign-in", "https://localhost:1", "--email", "a@example.com", "--ca-file", directory + "/none.pem"],
                home: directory + "/bob")
            #expect(missing.contains("none.pem can't be used: there is no such file"), "\(missing)")
            let empty = try await failure(
                ["sign-in", "https://localhost:1", "--email", "a@example.com", "--ca-file", key],
                home: directory + "/bob")
            #expect(empty.contains("holds no certificates in PEM"), "\(empty)")
        }
    }

    private func failure(_ arguments: [String], home: String) async throws -> String {
        let result = try await Subprocess.run(
            Programs.trolley, arguments: Arguments(arguments),
            environment: .inherit.updating(["TROLLEY_HOME": home, "LC_ALL": "C", "TROLLEY_PASSWORD": "correct horse"]),
            input: .none, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        #expect(result.terminationStatus == .exited(1), "\(result.standardOutput)")
        return result.standardError
    }

    /// - Returns: the paths of a self-signed certificate and its key.
    static func makeCertificate(
        in directory: String, named name: String = "good", host: String = "localhost", days: String = "2"
    ) async throws -> (certificate: String, key: String) {
        let (certificate, key) = ("\(directory)/\(name)-cert.pem", "\(directory)/\(name)-key.pem")
        let (request, names) = ("\(directory)/\(name).csr", "\(directory)/\(name).ext")
        try Data("subjectAltName=DNS:\(host)".utf8).write(to: URL(filePath: names))
        for arguments in [
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(host)",
                "-keyout", key, "-out", request,
            ],
            ["x509", "-req", "-in", request, "-signkey", key, "-days", days, "-extfile", names, "-out", certificate],
        ] {
            let made = try await Subprocess.run(
                .name("openssl"), arguments: Arguments(arguments), output: .discarded, error: .string(limit: 1 << 16))
            #expect(made.terminationStatus.isSuccess, "\(made.standardError)")
        }
        return (certificate, key)
    }
}
