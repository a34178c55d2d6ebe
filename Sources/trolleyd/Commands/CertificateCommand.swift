import ArgumentParser
import FoundationEssentials
import SwiftASN1
import TrolleyJournal
import TrolleyWire
import X509

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Make a certificate for HTTPS in a home network, by an authority of your own.",
        discussion: """
            Without a domain nobody else certifies your service. This makes an authority once, and with it a certificate for the
            names and addresses by which your devices reach this machine; without names, for its own. Each device must trust the \
            authority once. It can only certify private addresses, home networks and the names that you give the first time.

            Run it again to renew the certificate, then restart the service: devices go on trusting the authority.

            Example:
              trolleyd certificate
              trolleyd certificate kitchen.local 192.168.1.20 --directory /etc/trolley/certificates
            """)

    @Argument(help: "Names and addresses of the service. (default: this machine's)")
    var names: [String] = []

    @Option(help: "Where the files are. (default: trolley-certificates)")
    var directory: String?

    @Option(help: "How many days the certificate is valid, at most 825. (default: 397)")
    var days: Int?

    @Flag(help: "Make another authority, which all devices must trust again.")
    var newAuthority = false

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let settings = Settings()
        let directory = try settings.value(directory, "certificate.directory", default: "trolley-certificates")
        let days = try settings.value(days, "certificate.days", default: 397)
        guard 1...PrivateAuthority.longestLifetime ~= days else {
            throw ValidationError("--days is from 1 to \(PrivateAuthority.longestLifetime): devices refuse longer ones")
        }
        let names = try certified()
        let files = CertificateFiles(directory: directory)
        try files.makeDirectory()
        let now = Date()
        var isNew = false
        let authority: PrivateAuthority
        if !newAuthority, let existing = try files.authority() {
            authority = existing
        } else {
            let host = names[0].description
            authority = try PrivateAuthority(permitting: names, named: "Trolley at \(host)", at: now)
            try await files.write(authority)
            isNew = true
        }
        let forbidden = try authority.forbidden(of: names)
        guard forbidden.isEmpty else {
            throw CommandError(
                """
                The authority in \(directory) may not certify \(forbidden.map(\.description).joined(separator: ", ")): it permits \
                private addresses, home networks, and the names that it was made for. Leave that out, or make another authority \
                with --new-authority, which all devices must trust again.
                """)
        }
        guard authority.certificate.notValidAfter > now.addingTimeInterval(30 * 86_400) else {
            throw CommandError(
                """
                The authority in \(directory) ends within 30 days. Make another one with --new-authority, which all devices must \
                trust again.
                """)
        }
        let (certificate, key) = try authority.certify(names, days: days, at: now)
        try await files.write(certificate, key: key)
        try show(
            MadeCertificate(
                names: names.map(\.description), certificate: files.certificate, key: files.key,
                authority: files.authorityCertificate, authorityIsNew: isNew,
                authorityFingerprint: try authority.fingerprint,
                validUntil: Timestamp(milliseconds: Int64(certificate.notValidAfter.timeIntervalSince1970 * 1000))))
    }

    private func certified() throws -> [CertifiedName] {
        if names.isEmpty { return CertifiedName.ofThisMachine() }
        return try names.map { text in
            guard let name = CertifiedName(text) else {
                throw ValidationError(
                    "'\(text)' is neither a host's name nor an address; give it without https:// and port, like kitchen.local"
                )
            }
            return name
        }
    }

    private func show(_ made: MadeCertificate) throws {
        if answer.json { return try printJSON(made) }
        say(
            """
            A certificate for \(made.names.joined(separator: ", ")), valid until \(made.validUntil.description.prefix(10)):
              trolleyd serve --host 0.0.0.0 --tls-certificate \(made.certificate) --tls-key \(made.key)

            \(made.authorityIsNew ? "Each device must trust this authority once" : "The authority that devices trust already"):
              \(made.authority)
              SHA-256 \(made.authorityFingerprint)
            """)
        if made.authorityIsNew {
            say("How iPhones, Android phones and computers do that: docs/operations.md, 'HTTPS at home'.")
        }
    }
}

private struct MadeCertificate: Encodable {
    var names: [String]
    var certificate: String
    var key: String
    var authority: String
    var authorityIsNew: Bool
    var authorityFingerprint: String
    var validUntil: Timestamp
}

/// Where an authority's and a server's files are.
private struct CertificateFiles {
    let directory: String

    var authorityCertificate: String { "\(directory)/authority.pem" }
    private var authorityKey: String { "\(directory)/authority-key.pem" }
    var certificate: String { "\(directory)/certificate.pem" }
    var key: String { "\(directory)/key.pem" }

    func makeDirectory() throws {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw CommandError("\(directory) can't be made: \(String(cString: strerror(errno)))")
        }
    }

    /// nil: there is none.
    func authority() throws -> PrivateAuthority? {
        guard FileManager.default.fileExists(atPath: authorityCertificate) else { return nil }
        do {
            return try PrivateAuthority(
                certificate: String(contentsOfFile: authorityCertificate, encoding: .utf8),
                key: String(contentsOfFile: authorityKey, encoding: .utf8))
        } catch {
            throw CommandError(
                """
                The authority in \(directory) can't be read: \(authorityCertificate) and \(authorityKey) must be there, readable, and \
                belong together. Or make another one with --new-authority, which all devices must trust again.
                """)
        }
    }

    func write(_ authority: PrivateAuthority) async throws {
        // The key first: without it, the certificate is worth nothing.
        try await write(authority.keyPEM, to: authorityKey)
        try await write(
            authority.certificate.serializeAsPEM().pemString + "\n", to: authorityCertificate, isPublic: true)
    }

    func write(_ certificate: Certificate, key: String) async throws {
        try await write(key, to: self.key)
        try await write(certificate.serializeAsPEM().pemString + "\n", to: self.certificate, isPublic: true)
    }

    private func write(_ text: String, to file: String, isPublic: Bool = false) async throws {
        try await Output.write(to: file) { try $0.write(Array(text.utf8)) }
        if isPublic { chmod(file, 0o644) }
    }
}
