import FoundationEssentials
import NIOCore
import NIOSSL

/// The paths of a certificate and its key.
package struct TLSFiles: Hashable, Sendable {
    /// PEM: the certificate and the intermediate certificates.
    package var certificate: String
    /// PEM: the certificate's private key.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads both files.
    func read() throws(TLSFilesError) -> TLSMaterial {
        func bytes(_ file: String) throws(TLSFilesError) -> [UInt8] {
            do { return Array(try Data(contentsOf: URL(filePath: file))) } catch {
                let isThere = FileManager.default.fileExists(atPath: file)
                throw .unreadable(file, isThere ? "this user may not read it" : "there is no such file")
            }
        }
        return TLSMaterial(files: self, certificate: try bytes(certificate), key: try bytes(key))
    }
}

/// The contents of a certificate's files.
package struct TLSMaterial: Sendable {
    let files: TLSFiles
    let certificate: [UInt8]
    let key: [UInt8]

    package init(files: TLSFiles, certificate: [UInt8], key: [UInt8]) {
        self.files = files
        self.certificate = certificate
        self.key = key
    }

    /// - Parameter goodbye: how long a connection that the service closes waits for the client's own close.
    func configuration(goodbye: TimeAmount = Timeouts().goodbye) throws(TLSFilesError) -> TLSConfiguration {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(certificate) } catch { throw .noCertificate(files.certificate) }
        guard !chain.isEmpty else { throw .noCertificate(files.certificate) }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(bytes: key, format: .pem) } catch { throw .noKey(files.key) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.shutdownTimeout = goodbye
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw .differ(certificate: files.certificate, key: files.key)
        }
        return configuration
    }
}

/// Why a certificate and its key can't be used.
package enum TLSFilesError: Error, Hashable, Sendable {
    /// A file, and the reason.
    case unreadable(String, String)
    case noCertificate(String)
    case noKey(String)
    /// The key doesn't belong to the certificate.
    case differ(certificate: String, key: String)
}

extension TLSFilesError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let file, let why): "\(file) can't be read: \(why)"
        case .noCertificate(let file): "\(file) holds no certificate in PEM"
        case .noKey(let file): "\(file) holds no private key in PEM, or one that a password protects"
        case .differ(let certificate, let key): "the key in \(key) doesn't belong to the certificate in \(certificate)"
        }
    }
}
