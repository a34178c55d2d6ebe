import HTTPTypes

/// The trusted reverse proxies, and the header in which they name the client.
package struct ProxyTrust: Hashable, Sendable {
    /// The header that the proxy sets. Only this one is believed, because a client may send the other one itself.
    package enum Header: String, CaseIterable, Hashable, Sendable {
        case forwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    package var proxies: [IPNetwork]
    package var header: Header

    package init(proxies: [IPNetwork] = [], header: Header = .forwardedFor) {
        self.proxies = proxies
        self.header = header
    }

    /// The client's address: the rightmost address that is not a trusted proxy. Each proxy appends the address that it
    /// saw; a client may have written anything further left.
    /// - Parameter peer: the connection's peer.
    func client(peer: IPAddress?, headers: HTTPFields) -> IPAddress? {
        guard var client = peer, isProxy(client) else { return peer }
        for hop in hops(headers).reversed() {
            // Stop at a hop that can't be parsed: hops before it can't be trusted.
            guard let address = IPAddress(hop) else { break }
            client = address
            if !isProxy(address) { break }
        }
        return client
    }

    /// Whether a trusted proxy says that the client uses TLS, with `X-Forwarded-Proto` or with `proto` in `Forwarded`.
    /// The last proxy's value counts.
    /// - Parameter peer: the connection's peer.
    func isSecure(peer: IPAddress?, headers: HTTPFields) -> Bool {
        guard let peer, isProxy(peer) else { return false }
        let proto =
            switch header {
            case .forwardedFor: elements(of: "X-Forwarded-Proto", in: headers).last?.trimmed
            case .forwarded: elements(of: header.rawValue, in: headers).last.map { Self.parameter("proto", of: $0) }
            }
        return proto?.lowercased() == "https"
    }

    func isProxy(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }

    private func hops(_ headers: HTTPFields) -> [Substring] {
        let elements = elements(of: header.rawValue, in: headers)
        return switch header {
        case .forwardedFor: elements.map(\.trimmed)
        case .forwarded: elements.map { Self.parameter("for", of: $0) }
        }
    }

    private func elements(of name: String, in headers: HTTPFields) -> [Substring] {
        guard let name = HTTPField.Name(name) else { return [] }
        return headers[values: name].flatMap { (value: String) in
            value.split(separator: ",", omittingEmptySubsequences: false)
        }
    }

    /// A parameter of an element of `Forwarded`, without quotes; empty when it is absent.
    private static func parameter(_ name: String, of element: Substring) -> Substring {
        let pair = element.split(separator: ";").map(\.trimmed).first { $0.lowercased().hasPrefix(name + "=") }
        return (pair?.dropFirst(name.count + 1) ?? "").trimming { $0 == "\"" }
    }
}

extension Substring {
    fileprivate var trimmed: Substring { trimming { $0 == " " || $0 == "\t" } }

    fileprivate func trimming(_ isDropped: (Character) -> Bool) -> Substring {
        var text = drop(while: isDropped)
        while let last = text.last, isDropped(last) { text.removeLast() }
        return text
    }
}
