import FoundationEssentials
import SwiftASN1
import X509

/// The settings that a file has now: the defaults of the questions.
struct PresentSettings {
    /// The address that people open, as setup has stored it, or as the other settings tell it. It may be invalid.
    var address: String?
    /// nil: the file doesn't tell.
    var tls: TLSChoice?
    /// Whether the file names a certificate and its key.
    var namesCertificate = false
    /// The names in the certificate that was made beside the file.
    var certified: [CertifiedName] = []
    var host: String?
    /// nil, also when it is invalid.
    var port: Int?
    var trustedProxies: String?
    var registration: String?
    var mailCommand: String?
    var mailFrom: String?
    var backupDirectory: String?

    init() {}

    /// - Parameters:
    ///   - file: of settings.
    ///   - own: the files of the certificate that setup makes beside it.
    init(of file: EnvironmentFile, own: CertificateFiles) {
        host = file["TROLLEY_HOST"]
        port = file["TROLLEY_PORT"].flatMap { Int($0) }.flatMap { 1...65_535 ~= $0 ? $0 : nil }
        trustedProxies = file["TROLLEY_TRUSTED_PROXIES"]
        registration = file["TROLLEY_REGISTRATION"]
        mailCommand = file["TROLLEY_MAIL_COMMAND"]
        mailFrom = file["TROLLEY_MAIL_FROM"]
        backupDirectory = file["TROLLEY_BACKUP_DIRECTORY"]
        let stored = file["TROLLEY_ADDRESS"]
        let certificate = file["TROLLEY_TLS_KEY"] == nil ? nil : file["TROLLEY_TLS_CERTIFICATE"]
        namesCertificate = certificate != nil
        if let certificate {
            tls = certificate == own.certificate ? TLSChoice.own : TLSChoice.keep
        } else if let known = stored.flatMap({ PublicAddress($0) }) {
            tls = known.isSecure ? TLSChoice.caddy : TLSChoice.none
        } else if trustedProxies != nil {
            tls = .caddy
        } else if host != nil || port != nil {
            tls = TLSChoice.none
        }
        if tls == TLSChoice.own { certified = certificate.map { Self.names(in: $0) } ?? [] }
        address = stored.map { withPresentPort($0) } ?? tls.flatMap { told(by: $0, certificate: certificate) }
    }

    /// Somebody may have changed the port since the address was stored. Behind Caddy it is another one.
    private func withPresentPort(_ stored: String) -> String {
        guard tls != .caddy, let port, let address = PublicAddress(stored) else { return stored }
        return PublicAddress(isSecure: address.isSecure, host: address.host, port: port).description
    }

    /// The address as far as the settings tell it.
    private func told(by tls: TLSChoice, certificate: String?) -> String? {
        let name: CertifiedName?
        switch tls {
        case .caddy: name = nil
        case .own: name = certified.first
        case .keep:
            // Another authority's certificate may name many sites.
            let names = certificate.map { Self.names(in: $0) } ?? []
            name = names.count == 1 ? names.first : nil
        case .none:
            let listens = CertifiedName(host ?? "127.0.0.1")
            name = listens?.isUnspecified == true ? CertifiedName.ofThisMachine().first : listens
        }
        return name.map { PublicAddress(isSecure: tls != TLSChoice.none, host: $0, port: port ?? 8080).description }
    }

    /// The names and addresses of the first certificate in a PEM file; none when it can't be read.
    private static func names(in file: String) -> [CertifiedName] {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let begin = text.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let end = text[begin.upperBound...].firstRange(of: "-----END CERTIFICATE-----"),
            let certificate = try? Certificate(pemEncoded: String(text[begin.lowerBound..<end.upperBound])),
            let names = try? certificate.extensions.subjectAlternativeNames
        else { return [] }
        return names.compactMap { name -> CertifiedName? in
            switch name {
            case .dnsName(let domain): return CertifiedName(domain)
            case .ipAddress(let address) where [4, 16].contains(address.bytes.count):
                return .address(Array(address.bytes))
            default: return nil
            }
        }
    }
}
