import FoundationEssentials
import NIOSSL
import Synchronization

/// The certificate authorities that the system trusts. Their file is read once for all requests, and again after an update:
/// reading it for each would cost more than the rest of the request.
final class TrustedRoots: Sendable {
    private struct Known {
        let path: String
        let modifiedAt: Date
        let certificates: [NIOSSLCertificate]
    }

    /// Debian's file, and that of Red Hat's family. The variable is OpenSSL's.
    private static let paths = [
        ProcessInfo.processInfo.environment["SSL_CERT_FILE"], "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
    ]

    private let known = Mutex<Known?>(nil)

    /// What a client trusts. Where the file is missing or can't be read: what the library finds.
    var roots: NIOSSLTrustRoots {
        for path in Self.paths.compactMap(\.self) {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let modifiedAt = attributes[.modificationDate] as? Date
            else { continue }
            if let known = known.withLock(\.self), known.path == path, known.modifiedAt == modifiedAt {
                return .certificates(known.certificates)
            }
            guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else { continue }
            known.withLock { $0 = Known(path: path, modifiedAt: modifiedAt, certificates: certificates) }
            return .certificates(certificates)
        }
        return .default
    }
}
