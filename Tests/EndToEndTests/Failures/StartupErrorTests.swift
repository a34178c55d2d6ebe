import FoundationEssentials
import Subprocess
import Testing

/// The errors of `trolleyd` at the start: a sentence for a person, without names of functions or cases.
@Suite("trolleyd's error messages", .timeLimit(.minutes(20)))
struct StartupErrorTests {
    @Test("an address and a port where it can't listen")
    func listening() async throws {
        try await withTemporaryDirectory { directory in
            try await RunningService.run(dataDirectory: directory + "/one") { service in
                let two = ["serve", "--data-directory", directory + "/two"]
                #expect(
                    try await failure(two + ["--port", service.port])
                        == "Error: Another program listens at 127.0.0.1:\(service.port). Stop it, or choose another port with --port."
                )
                let absent = try await failure(two + ["--host", "192.0.2.1", "--port", "0"])
                #expect(
                    absent
                        == "Error: This machine doesn't have the address 192.0.2.1. Choose another one with --host.")
            }
        }
    }

    @Test("a certificate and its key")
    func certificate() async throws {
        try await withTemporaryDirectory { directory in
            let (certificate, key) = try await CertificateTests.makeCertificate(in: directory)
            func said(_ certificate: String, _ key: String) async throws -> String {
                try await failure([
                    "serve", "--port", "0", "--data-directory", directory + "/data", "--tls-certificate", certificate,
                    "--tls-key", key,
                ])
            }
            #expect(
                try await said("/nowhere/cert.pem", key)
                    == "Error: /nowhere/cert.pem can't be read: there is no such file")
            #expect(try await said(key, key) == "Error: \(key) holds no certificate in PEM")
            #expect(
                try await said(certificate, certificate)
                    == "Error: \(certificate) holds no private key in PEM, or one that a password protects")
        }
    }

    @Test("a database without a schema, and no database")
    func database() async throws {
        try await withTemporaryDirectory { directory in
            try await RunningService.run(dataDirectory: directory + "/data") { service in
                let socket = "postgresql://trolley@/postgres?host=\(directory)/data/socket"
                for command in [["compress"], ["export", "--account", "a@example.com"], ["epoch"]] {
                    let said = try await failure(command + ["--database-url", socket])
                    #expect(
                        said.contains("The database doesn't have Trolley's schema")
                            && said.contains("trolleyd migrate"),
                        "\(command): \(said)")
                }
            }
            let said = try await failure(["epoch", "--database-url", "postgresql://127.0.0.1:1/x"])
            #expect(
                said.hasPrefix("Error: The database can't be reached: ") && said.hasSuffix("trolleyd doctor")
                    && said.contains("Connection refused. Check that it runs"), "\(said)")
        }
    }

    private func failure(_ arguments: [String]) async throws -> String {
        let result = try await Subprocess.run(
            Programs.trolleyd, arguments: Arguments(arguments), input: .none, output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        #expect(result.terminationStatus == .exited(1), "\(result.standardOutput)")
        // The log may precede the error.
        let lines = result.standardError.split(separator: "\n").map(String.init)
        return lines.last { $0.hasPrefix("Error: ") } ?? result.standardError
    }
}
