#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A service's address: `http://host:port`, optionally with a path, without a slash at the end.
struct ServiceAddress: Hashable, CustomStringConvertible {
    private let scheme: String
    private let host: String
    private let port: Int
    private let path: String
    let description: String

    /// - Returns: nil when the text is not an address. The default scheme is `http`.
    init?(_ text: String) {
        if text.hasSuffix("://") { return nil }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        if !text.contains("://") { text = "http://" + text }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment() == nil
        else { return nil }
        self.scheme = scheme
        // All names of this machine count as one.
        self.host = ["127.0.0.1", "::1", "[::1]"].contains(host) ? "localhost" : host.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
        path = url.path()
        description = text
    }

    /// Makes an inspection for a service whose certificate isn't trusted.
    func inspection(hasOwnAuthorities: Bool) -> CertificateInspection {
        // Uses the name as it was written, because the certificate must be for that name.
        let written = URL(string: description)?.host() ?? host
        let name = written.hasPrefix("[") ? String(written.dropFirst().dropLast()) : written
        return CertificateInspection(host: name, port: port, hasOwnAuthorities: hasOwnAuthorities)
    }

    static func == (left: ServiceAddress, right: ServiceAddress) -> Bool {
        left.scheme == right.scheme && left.host == right.host && left.port == right.port && left.path == right.path
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }
}
