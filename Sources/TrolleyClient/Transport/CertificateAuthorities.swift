import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Certificates that are trusted besides the system's, such as a private authority's. Stores the PEM text, not the
/// file's name, so that the device still trusts a service after the file was moved.
struct CertificateAuthorities: Hashable, Sendable {
    let pem: String

    /// - Throws: `.unreadableCertificates`, `.notCertificates`.
    init(file: String) throws(DeviceError) {
        let text: String
        do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            throw FileManager.default.fileExists(atPath: file)
                ? .unreadableCertificates(file, "it can't be read")
                : .unreadableCertificates(file, "there is no such file")
        }
        self.init(pem: text)
        do {
            if try certificates().isEmpty { throw NIOSSLError.failedToLoadCertificate }
        } catch { throw .notCertificates(file) }
    }

    init(pem: String) { self.pem = pem }

    func certificates() throws -> [NIOSSLCertificate] { try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)) }
}

/// The TLS settings of a device. The same authorities give the same settings object, because connections are shared by
/// it.
final class TrustStore: Sendable {
    /// Authorities given for this run; they take precedence over those of the session.
    let given: CertificateAuthorities?
    private let known = Mutex<[CertificateAuthorities: TLSConfiguration]>([:])

    init(given: CertificateAuthorities?) { self.given = given }

    /// - Parameter kept: the PEM text that was stored with a session.
    /// - Returns: nil when only the system's certificates are trusted.
    func configuration(kept: String? = nil) -> TLSConfiguration? {
        guard let authorities = given ?? kept.map(CertificateAuthorities.init(pem:)) else { return nil }
        return known.withLock { known in
            if let configuration = known[authorities] { return configuration }
            var configuration = TLSConfiguration.makeClientConfiguration()
            do {
                configuration.additionalTrustRoots = [.certificates(try authorities.certificates())]
            } catch {
                // The text was parsed when it was stored. If it can't be parsed now, connecting fails and reports why.
                return nil
            }
            known[authorities] = configuration
            return configuration
        }
    }
}
