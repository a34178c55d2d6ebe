import TrolleyWire

/// The address of a push service's or a webhook's endpoint, in one spelling only: a scheme and a host in lower case, and
/// no user. So all parts of the program see the same host in it.
struct EndpointURL: Hashable, Sendable {
    static let maximumLength = 2048

    let text: String
    let isSecure: Bool
    let host: String
    let port: Int
    /// The scheme, the host and the port, if it is not the scheme's: RFC 6454.
    let origin: String

    /// - Returns: nil if the text is not such an address.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let match = text.wholeMatch(
                of: /(https?):\/\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?((?:\/[^#\\]*)?)/),
            match.2.utf8.count <= 253
        else { return nil }
        isSecure = match.1 == "https"
        let standard = isSecure ? 443 : 80
        let port = match.3.map { Int($0) ?? 0 } ?? standard
        guard (1...65535).contains(port) else { return nil }
        self.text = text
        self.port = port
        host = String(match.2)
        origin = "\(match.1)://\(host)" + (port == standard ? "" : ":\(port)")
    }

    /// Parses an endpoint that somebody registers.
    /// - Throws: `Problem` (`invalidArguments`).
    static func checked(_ text: String, called name: String, _ settings: PushSettings) throws(Problem) -> EndpointURL {
        guard let url = EndpointURL(text) else {
            throw Problem(
                .invalidArguments,
                "\(name) must be https://host/path with the host in lower case, at most \(maximumLength) bytes")
        }
        if settings.allowsPrivateAddresses { return url }
        guard url.isSecure else { throw Problem(.invalidArguments, "\(name) must begin with https://") }
        // Names are resolved, and their addresses checked, at each connection.
        if let address = IPAddress(url.host), !address.isPublic {
            throw Problem(.invalidArguments, "\(name) is at a private address")
        }
        return url
    }
}
