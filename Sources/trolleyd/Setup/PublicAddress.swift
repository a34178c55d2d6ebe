import FoundationEssentials

/// The address by which people open the service, as an operator gives it.
struct PublicAddress: Hashable {
    let isSecure: Bool
    /// In lower case; of an IPv6 address without its brackets.
    let host: CertifiedName
    /// nil: the scheme's own.
    let port: Int?

    /// - Parameter text: `https://lists.example.com`, `https://kitchen.local:8443`, `http://127.0.0.1:8080`; without a scheme,
    ///   https is meant.
    init?(_ text: String) {
        let text = text.contains("://") ? text : "https://\(text)"
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            scheme == "https" || scheme == "http", ["", "/"].contains(parts.path), parts.query == nil,
            parts.fragment == nil,
            parts.user == nil, let name = parts.host, parts.port.map({ 1...65_535 ~= $0 }) ?? true,
            let host = CertifiedName(name.trimmingPrefix("[").trimmingSuffix("]"))
        else { return nil }
        isSecure = scheme == "https"
        self.host = host
        port = parts.port
    }

    init(isSecure: Bool, host: CertifiedName, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port == (isSecure ? 443 : 80) ? nil : port
    }

    /// Whether only this machine reaches it.
    var isLoopback: Bool { host.isLoopback }

    /// Whether an authority that everybody trusts may certify it: a name with a dot that isn't one of home networks'.
    var isPublicName: Bool {
        guard case .domain(let name) = host, name.contains(".") else { return false }
        return !PrivateAuthority.homeNames.contains { name == $0 || name.hasSuffix(".\($0)") }
    }
}

extension String {
    fileprivate func trimmingPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

extension PublicAddress: CustomStringConvertible {
    var description: String {
        var name = host.description
        if case .address(let bytes) = host, bytes.count == 16 { name = "[\(name)]" }
        return "http\(isSecure ? "s" : "")://\(name)\(port.map { ":\($0)" } ?? "")"
    }
}
