import NIOSSL

/// Where a certificate and its key are.
public struct TLSFiles: Hashable, Sendable {
    /// PEM: the certificate, and those between it and a root.
    public var certificate: String
    /// PEM: the certificate's private key.
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Reads both.
    func load() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
}
