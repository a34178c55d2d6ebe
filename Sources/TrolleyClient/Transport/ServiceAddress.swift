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

    /// - Parameters:
    ///   - known: an address whose scheme is meant when a text without a scheme has its host, port and path.
    ///   - allowsPlainHTTP: whether a text without a scheme means `http`. Otherwise it means `https`, except for this
    ///     machine.
    /// - Returns: nil when the text is not an address.
    init?(_ text: String, like known: ServiceAddress? = nil, allowsPlainHTTP: Bool = false) {
        if text.contains("://") {
            self.init(complete: text)
        } else if let known, ServiceAddress(complete: "\(known.scheme)://\(text)") == known {
            self = known
        } else {
            guard let plain = ServiceAddress(complete: "http://\(text)") else { return nil }
            if allowsPlainHTTP || plain.isLoopback { self = plain } else { self.init(complete: "https://\(text)") }
        }
    }

    private init?(complete text: String) {
        if text.hasSuffix("://") { return nil }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
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

    /// Whether others in the network could read what is sent to the service.
    var isReadable: Bool { scheme == "http" && !isLoopback }

    /// Whether the host is this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    private var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host.hasSuffix(".localhost")
            || parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Makes an inspection for a service whose certificate isn't trusted.
    func inspection(hasOwnAuthorities: Bool) -> CertificateInspection {
        // Uses the name as it was written, because the certificate must be for that name.
        let written = URL(string: description)?.host() ?? host
        let name = written.hasPrefix("[") ? String(written.dropFirst().dropLast()) : written
        return CertificateInspection(host: name, port: port, hasOwnAuthorities: hasOwnAuthorities)
    }

    /// Where a call goes.
    struct Target: Hashable {
        let isSecure: Bool
        /// As it was written, because the certificate must be for that name; an IPv6 address without brackets.
        let host: String
        let port: Int
        /// The value of `Host`.
        let authority: String
        /// With the address's own path.
        let path: String
    }

    /// - Parameter path: with a slash at its start; it may have a query.
    func target(_ path: String) -> Target {
        let written = URL(string: description)?.host() ?? host
        let isBracketed = written.hasPrefix("[")
        let name = isBracketed ? String(written.dropFirst().dropLast()) : written
        let shown = name.contains(":") ? "[\(name)]" : name
        return Target(
            isSecure: scheme == "https", host: name, port: port,
            authority: port == (scheme == "https" ? 443 : 80) ? shown : "\(shown):\(port)", path: self.path + path)
    }

    static func == (left: ServiceAddress, right: ServiceAddress) -> Bool {
        left.scheme == right.scheme && left.host == right.host && left.port == right.port && left.path == right.path
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }
}
