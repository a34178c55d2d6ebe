import FoundationEssentials
import SwiftASN1
import TrolleyJournal
import X509

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What `trolleyd certificate` has made.
struct MadeCertificate: Encodable {
    var names: [String]
    var certificate: String
    var key: String
    var authority: String
    var authorityIsNew: Bool
    var authorityFingerprint: String
    var validUntil: Timestamp
}

/// Where an authority's and a server's files are.
struct CertificateFiles {
    let directory: String

    var authorityCertificate: String { "\(directory)/authority.pem" }
    private var authorityKey: String { "\(directory)/authority-key.pem" }
    var certificate: String { "\(directory)/certificate.pem" }
    var key: String { "\(directory)/key.pem" }

    /// Makes a certificate, and the authority if there is none.
    /// - Parameters:
    ///   - names: by which the service is reached; the first one names it.
    ///   - newAuthority: also if there is one.
    func make(_ names: [CertifiedName], days: Int, newAuthority: Bool, at now: Date) async throws -> MadeCertificate {
        try makeDirectory()
        let existing = newAuthority ? nil : try self.authority()
        let authority =
            try existing
            ?? PrivateAuthority(permitting: names, named: "Trolley at \(names[0])", at: now)
        let forbidden = try authority.forbidden(of: names)
        guard forbidden.isEmpty else {
            throw CommandError(
                """
                The authority in \(directory) may not certify \(forbidden.map(\.description).joined(separator: ", ")): it permits \
                private addresses, home networks, and the names that it was made for. Leave that out, or make another authority: \
                trolleyd certificate --new-authority. All devices must trust it again.
                """)
        }
        guard authority.certificate.notValidAfter > now.addingTimeInterval(30 * 86_400) else {
            throw CommandError(
                """
                The authority in \(directory) ends within 30 days. Make another one: trolleyd certificate --new-authority. All devices \
                must trust it again.
                """)
        }
        if existing == nil { try await write(authority) }
        let (certificate, key) = try authority.certify(names, days: days, at: now)
        try await write(certificate, key: key)
        return MadeCertificate(
            names: names.map(\.description), certificate: self.certificate, key: self.key,
            authority: authorityCertificate, authorityIsNew: existing == nil,
            authorityFingerprint: try authority.fingerprint,
            validUntil: Timestamp(milliseconds: Int64(certificate.notValidAfter.timeIntervalSince1970 * 1000)))
    }

    private func makeDirectory() throws {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw CommandError("\(directory) can't be made: \(String(cString: strerror(errno)))")
        }
    }

    /// nil: there is none.
    private func authority() throws -> PrivateAuthority? {
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

    private func write(_ authority: PrivateAuthority) async throws {
        // The key first: without it, the certificate is worth nothing.
        try await write(authority.keyPEM, to: authorityKey)
        try await write(
            authority.certificate.serializeAsPEM().pemString + "\n", to: authorityCertificate, isPublic: true)
    }

    private func write(_ certificate: Certificate, key: String) async throws {
        try await write(key, to: self.key, isForService: true)
        try await write(certificate.serializeAsPEM().pemString + "\n", to: self.certificate, isPublic: true)
    }

    /// Writes a file. One that takes another's place belongs to the same user and group, and may be read by the same.
    /// - Parameter isForService: whether the packaged service, which doesn't run as root, must read it.
    private func write(
        _ text: String, to file: String, isPublic: Bool = false, isForService: Bool = false
    ) async throws {
        guard try await Output.replace(file, with: text) else { return }
        if isPublic {
            chmod(file, 0o644)
        } else if isForService, geteuid() == 0, let group = getgrnam("trolley") {
            _ = chown(file, 0, group.pointee.gr_gid)
            chmod(file, 0o640)
        }
    }
}
