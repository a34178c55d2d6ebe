import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// A certificate authority of one household, for HTTPS in a network without a domain. Devices must be told to trust it.
///
/// Its certificate permits only private addresses, names of home networks, and the names and addresses that were given when it was
/// made. A stolen key therefore makes no certificate for any other site that a device would accept.
struct PrivateAuthority {
    let certificate: Certificate
    private let key: Certificate.PrivateKey

    static let lifetime = 10 * 365
    /// Apple's systems accept at most 825 days of an authority that a person has added.
    static let longestLifetime = 825

    static let homeNames = ["localhost", "local", "home.arpa", "internal", "lan", "home"]
    /// Addresses with their masks (RFC 1918, 6598, 3927, 4193, 4291).
    private static let homeAddresses: [[UInt8]] = [
        [10, 0, 0, 0, 255, 0, 0, 0], [172, 16, 0, 0, 255, 240, 0, 0], [192, 168, 0, 0, 255, 255, 0, 0],
        [100, 64, 0, 0, 255, 192, 0, 0], [169, 254, 0, 0, 255, 255, 0, 0], [127, 0, 0, 0, 255, 0, 0, 0],
        [0xFC] + zeros(15) + [0xFE] + zeros(15), [0xFE, 0x80] + zeros(14) + [0xFF, 0xC0] + zeros(14),
        zeros(15) + [1] + [UInt8](repeating: 0xFF, count: 16),
    ]

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Makes an authority.
    /// - Parameter names: what it permits beside home networks.
    init(permitting names: [CertifiedName], named name: String, at now: Date) throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName(name) }
        var addresses = Self.homeAddresses
        var domains = Self.homeNames
        for name in names {
            switch name {
            case .domain(let domain): domains.append(domain)
            case .address(let bytes): addresses.append(bytes + bytes.map { _ in 0xFF })
            }
        }
        let constraints = NameConstraints(
            permittedDNSDomains: NameConstraints.DNSNames(domains),
            permittedIPRanges: NameConstraints.IPRanges(addresses.map { ASN1OctetString(contentBytes: $0[...]) }))
        self.key = key
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: now.addingTimeInterval(Double(Self.lifetime) * 86_400), issuer: subject, subject: subject,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                Critical(constraints)
                SubjectKeyIdentifier(hash: key.publicKey)
            }, issuerPrivateKey: key)
    }

    /// - Throws: if the two don't belong together.
    init(certificate: String, key: String) throws {
        self.certificate = try Certificate(pemEncoded: certificate)
        self.key = try Certificate.PrivateKey(pemEncoded: key)
        guard self.key.publicKey == self.certificate.publicKey else {
            throw CommandError("the key is another authority's")
        }
    }

    var keyPEM: String { get throws { try key.serializeAsPEM().pemString } }

    /// SHA-256 of the certificate, as systems show it to people.
    var fingerprint: String {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            let digits = Array("0123456789ABCDEF")
            return SHA256.hash(data: serializer.serializedBytes)
                .map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
        }
    }

    /// Those of the names that it doesn't permit.
    func forbidden(of names: [CertifiedName]) throws -> [CertifiedName] {
        guard let constraints = try certificate.extensions.nameConstraints else { return [] }
        let addresses = constraints.permittedIPRanges.map { Array($0.bytes) }
        return names.filter { name in
            switch name {
            case .domain(let domain):
                !constraints.permittedDNSDomains.contains { domain == $0 || domain.hasSuffix(".\($0)") }
            case .address(let bytes):
                !addresses.contains { range in
                    range.count == 2 * bytes.count
                        && bytes.indices.allSatisfy { bytes[$0] & range[bytes.count + $0] == range[$0] }
                }
            }
        }
    }

    /// A certificate of a server, and its key.
    func certify(_ names: [CertifiedName], days: Int, at now: Date) throws -> (certificate: Certificate, key: String) {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: min(now.addingTimeInterval(Double(days) * 86_400), certificate.notValidAfter),
            issuer: certificate.subject, subject: try DistinguishedName { CommonName(names[0].description) },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(\.generalName))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: self.key.publicKey).keyIdentifier)
            }, issuerPrivateKey: self.key)
        return (certificate, key.pemRepresentation + "\n")
    }
}
