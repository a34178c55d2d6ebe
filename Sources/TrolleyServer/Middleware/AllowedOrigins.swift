/// The origins whose pages may read answers: `https://lists.example.com`, `http://localhost:3000`.
package struct AllowedOrigins: Hashable, Sendable {
    private var origins: Set<String>

    var isEmpty: Bool { origins.isEmpty }

    /// No origin.
    package init() { origins = [] }

    /// Reads origins with commas between them.
    /// - Returns: nil when one of them is no origin: a scheme and a host, perhaps with a port, and nothing after it.
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
