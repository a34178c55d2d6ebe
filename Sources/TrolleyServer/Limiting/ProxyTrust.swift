import HTTPTypes

/// Which peers are reverse proxies, whose word for the client's address is taken, and where they say it.
public struct ProxyTrust: Hashable, Sendable {
    /// The header that the proxy adds to. Only one is believed: a client may send the other one itself.
    public enum Header: String, CaseIterable, Hashable, Sendable {
        case forwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    public var proxies: [IPNetwork]
    public var header: Header

    public init(proxies: [IPNetwork] = [], header: Header = .forwardedFor) {
        self.proxies = proxies
        self.header = header
    }

    /// Who really asks: the rightmost address that is no proxy of ours, because each proxy adds at the right whom it saw,
    /// and what stands further left anybody may have written.
    /// - Parameter peer: who the connection is from.
    func client(peer: IPAddress?, headers: HTTPFields) -> IPAddress? {
        guard var client = peer, isProxy(client) else { return peer }
        for hop in hops(headers).reversed() {
            // A hop that can't be read ends it: beyond it nothing is known.
            guard let address = IPAddress(hop) else { break }
            client = address
            if !isProxy(address) { break }
        }
        return client
    }

    func isProxy(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }

    private func hops(_ headers: HTTPFields) -> [Substring] {
        guard let name = HTTPField.Name(header.rawValue) else { return [] }
        let elements: [Substring] = headers[values: name].flatMap { (value: String) in
            value.split(separator: ",", omittingEmptySubsequences: false)
        }
        switch header {
        case .forwardedFor: return elements.map(\.trimmed)
        case .forwarded:
            return elements.map { element in
                let pair = element.split(separator: ";").map(\.trimmed).first { $0.lowercased().hasPrefix("for=") }
                return (pair?.dropFirst(4) ?? "").trimming { $0 == "\"" }
            }
        }
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
