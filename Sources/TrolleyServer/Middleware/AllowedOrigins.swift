/// The origins whose pages may read answers: `https://lists.example.com`, `http://localhost:3000`.
package struct AllowedOrigins: Hashable, Sendable {
    private var origins: Set<String>

    var isEmpty: Bool { origins.isEmpty }

    /// No origin.
    package init() { origins = [] }

    /// Parses origins separated by commas.
    /// - Returns: nil if one of them is not an origin. An origin has a scheme, a host, perhaps a port, and nothing
    ///   else.
    package init?(_ text: String) {
        let parts = text.split(separator: ",").map { String($0.filter { $0 != " " }).lowercased() }
        guard !parts.isEmpty, parts.allSatisfy(Self.isOrigin) else { return nil }
        origins = Set(parts)
    }

    /// An origin as browsers write it (RFC 6454 §6.2): in lower case, without a default port.
    func contains(_ origin: String) -> Bool { origins.contains(origin.lowercased()) }

    private static func isOrigin(_ text: String) -> Bool {
        guard
            let match = text.wholeMatch(of: /([a-z][a-z0-9+.-]*):\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/)
        else { return false }
        let (scheme, port) = (match.output.1, match.output.2)
        return !(scheme == "https" && port == "443") && !(scheme == "http" && port == "80")
    }
}
