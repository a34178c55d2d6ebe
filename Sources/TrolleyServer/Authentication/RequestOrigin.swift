import HTTPTypes
import Hummingbird
import TrolleyWire

/// Checks that a page of this service made a request. A browser adds cookies by itself, so a cookie proves nothing
/// about the page.
enum RequestOrigin {
    /// Admits a request that a cookie authenticates or that asks for a cookie, if a page of this service made it.
    ///
    /// `Sec-Fetch-Site` decides if the browser sends it (with TLS and to localhost), otherwise `Origin`. A request with
    /// neither is admitted if it only reads, because a page of another site can't read the answer.
    /// - Throws: `Problem` (`crossOriginRequest`).
    static func check(_ request: Request, isSecure: Bool) throws(Problem) {
        let isSameOrigin =
            if let site = request.headers[.fetchSite] {
                site == "same-origin"
            } else if let origin = request.headers[.origin] {
                isOwn(origin, authority: request.head.authority, isSecure: isSecure)
            } else {
                // HEAD arrives as GET (``HeadResponder``).
                request.method == .get
            }
        guard isSameOrigin else {
            throw Problem(
                .crossOriginRequest,
                "a cookie is accepted from this service's own pages only; use Authorization elsewhere")
        }
    }

    /// Admits a socket of this service's own pages and of pages that the operator allows. A browser lets any page open
    /// a socket to any host and read what comes (RFC 6455 §10.2), but always sends the page's `Origin`. Other programs
    /// send none.
    /// - Parameter hasCookie: whether a cookie authenticates the request. Then ``check(_:isSecure:)`` has admitted it as
    ///   one that only reads, which a socket does not.
    /// - Throws: `Problem` (`crossOriginRequest`).
    static func checkSocket(_ request: Request, hasCookie: Bool, allowed: AllowedOrigins) throws(Problem) {
        let origins = request.headers[values: .origin]
        guard let origin = origins.first else {
            guard hasCookie else { return }
            throw Problem(.crossOriginRequest, "a socket that a cookie opens needs the page's Origin")
        }
        // Both schemes: a proxy that ends TLS may not say so, and a token was needed already.
        let isOfThisHost = [true, false].contains { isSecure in
            isOwn(origin, authority: request.head.authority, isSecure: isSecure)
        }
        guard origins.count == 1, isOfThisHost || !hasCookie && allowed.contains(origin) else {
            throw Problem(.crossOriginRequest, "pages of this origin may not open sockets here")
        }
    }

    /// Admits an assistant's program: programs send no `Origin`, and pages of other sites need the operator's permission.
    /// Unlike for a socket, the service's own name is not enough: its own pages don't come here, and a page elsewhere could reach
    /// a service at home by a name of its own that leads there (DNS rebinding).
    /// - Throws: `Problem` (`crossOriginRequest`).
    static func checkAssistant(_ request: Request, allowed: AllowedOrigins) throws(Problem) {
        guard request.headers[values: .origin].allSatisfy(allowed.contains) else {
            throw Problem(.crossOriginRequest, "pages of this origin may not use the lists as assistants do")
        }
    }

    /// Whether an origin (RFC 6454 §6.2) is the one under which the client reached the service.
    private static func isOwn(_ origin: String, authority: String?, isSecure: Bool) -> Bool {
        let (scheme, port) = isSecure ? ("https://", ":443") : ("http://", ":80")
        guard var authority = authority?.lowercased(), !authority.isEmpty else { return false }
        if authority.hasSuffix(port) { authority.removeLast(port.count) }
        return origin.lowercased() == scheme + authority
    }
}

extension HTTPField.Name {
    // The name is valid, so the fallback is never used.
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .from
}
