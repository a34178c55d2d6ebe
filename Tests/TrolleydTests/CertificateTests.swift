import ArgumentParser
import Foundation
import SwiftASN1
import Testing
import TrolleyStore
import X509

@testable import trolleyd

/// `trolleyd certificate`: an authority of a household, and what it certifies.
@Suite(.timeLimit(.minutes(20))) struct CertificateTests {
    private func names(_ texts: String...) throws -> [CertifiedName] {
        try texts.map { try #require(CertifiedName($0), "\($0)") }
    }

    /// Whether the verifier, which isn't ours, accepts the certificate for a host's name or an address.
    private func accepts(
        _ certificate: Certificate, of authority: Certificate, for host: String? = nil, at address: String? = nil
    ) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([authority])) {
            RFC5280Policy()
            ServerIdentityPolicy(serverHostname: host, serverIP: address)
        }
        if case .validCertificate = await verifier.validate(leaf: certificate, intermediates: CertificateStore([])) {
            return true
        }
        return false
    }

    @Test func `a name is a host's or an address, and a slip of the pen is neither`() {
        #expect(CertifiedName("Kitchen.Local") == .domain("kitchen.local"))
        #expect(CertifiedName("192.168.1.20") == .address([192, 168, 1, 20]))
        #expect(CertifiedName("::1") == .address([UInt8](repeating: 0, count: 15) + [1]))
        #expect(CertifiedName("::1")?.description == "::1" && CertifiedName("10.0.0.1")?.description == "10.0.0.1")
        for wrong in [
            "", "https://kitchen.local", "kitchen.local:8080", "a..b", "999.1.1.1", "192.168.1", "-a", "*.lan", "ü.lan",
        ] {
            #expect(CertifiedName(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `a server is trusted by its names and addresses, and by no others`() async throws {
        let given = try names("kitchen.local", "192.168.1.20", "fe80::1")
        let authority = try PrivateAuthority(permitting: given, named: "Test", at: .now)
        let (certificate, _) = try authority.certify(given, days: 397, at: .now)
        #expect(await accepts(certificate, of: authority.certificate, for: "kitchen.local"))
        #expect(await accepts(certificate, of: authority.certificate, at: "192.168.1.20"))
        #expect(await accepts(certificate, of: authority.certificate, at: "fe80::1"))
        #expect(await !accepts(certificate, of: authority.certificate, for: "cellar.local"))
        #expect(await !accepts(certificate, of: authority.certificate, at: "192.168.1.21"))
        let other = try PrivateAuthority(permitting: given, named: "Test", at: .now)
        #expect(await !accepts(certificate, of: other.certificate, for: "kitchen.local"), "another's certificate")
    }

    @Test func `whoever has the key can't certify what is outside the home`() async throws {
        let authority = try PrivateAuthority(permitting: names("lists.example.com"), named: "Test", at: .now)
        let outside = try names("bank.example.com", "8.8.8.8", "example.com")
        #expect(try authority.forbidden(of: outside) == outside)
        #expect(
            try authority.forbidden(
                of: names("lists.example.com", "x.local", "10.9.8.7", "172.31.0.1", "100.100.1.1", "fd00::1", "::1")
            ).isEmpty)
        #expect(try !authority.forbidden(of: names("172.32.0.1", "100.128.0.1", "2001:db8::1")).isEmpty)
        // Signed all the same, it is refused by those who check.
        let (certificate, _) = try authority.certify(outside, days: 10, at: .now)
        #expect(await !accepts(certificate, of: authority.certificate, for: "bank.example.com"))
    }

    @Test func `doctor says when the certificate ends, three weeks before too`() async throws {
        let file = "\(NSTemporaryDirectory())/trolley-certificate-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        func finding(days: Int) -> Finding {
            SecurityChecks.finding(ofCertificateAt: file, at: Date.now.addingTimeInterval(Double(days) * 86_400))
        }
        #expect(finding(days: 0).advice?.contains("--tls-certificate") == true, "there is no file")
        let given = try names("kitchen.local")
        let (certificate, _) = try PrivateAuthority(permitting: given, named: "Test", at: .now)
            .certify(given, days: 100, at: .now)
        try certificate.serializeAsPEM().pemString.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(finding(days: 0).verdict == .ok && finding(days: 78).verdict == .ok)
        #expect(finding(days: 80).verdict == .warning && finding(days: 80).advice?.contains("Renew it") == true)
        #expect(finding(days: 101).verdict == .failed)
    }

    @Test func `a second run renews the certificate and keeps the authority`() async throws {
        let directory = "\(NSTemporaryDirectory())/trolley-certificates-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        func run(_ arguments: String...) async throws -> [String: Data] {
            let command = try CertificateCommand.parse(arguments + ["--directory", directory, "--json"])
            try await command.run()
            return try Dictionary(
                uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: directory).map {
                    ($0, try Data(contentsOf: URL(filePath: "\(directory)/\($0)")))
                })
        }
        let first = try await run("kitchen.local")
        #expect(first.keys.sorted() == ["authority-key.pem", "authority.pem", "certificate.pem", "key.pem"])
        for secret in ["authority-key.pem", "key.pem"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(secret)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(secret)")
        }
        let second = try await run("kitchen.local", "10.0.0.5")
        #expect(
            second["authority.pem"] == first["authority.pem"] && second["certificate.pem"] != first["certificate.pem"])

        // What isn't permitted changes nothing.
        await #expect(throws: CommandError.self) { _ = try await run("lists.example.com") }
        #expect(try Data(contentsOf: URL(filePath: "\(directory)/certificate.pem")) == second["certificate.pem"])
        let third = try await run("lists.example.com", "--new-authority")
        #expect(third["authority.pem"] != first["authority.pem"])

        try Data("nothing".utf8).write(to: URL(filePath: "\(directory)/authority-key.pem"))
        await #expect(throws: CommandError.self) { _ = try await run("kitchen.local") }
        #expect(try Data(contentsOf: URL(filePath: "\(directory)/authority.pem")) == third["authority.pem"])
        for wrong in [["kitchen.local:80"], ["--days", "826"], ["--days", "0"]] {
            await #expect(throws: ValidationError.self) {
                let command = try CertificateCommand.parse(wrong + ["--directory", directory])
                try await command.run()
            }
        }
    }
}
