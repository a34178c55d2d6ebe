import HTTPTypes
import Hummingbird
import TrolleyWire

extension Request {
    /// Whether the request carries a token, valid or not.
    func hasToken(_ context: TrolleyContext) -> Bool {
        headers[.authorization] != nil || SessionCookie.token(in: headers, isSecure: context.isSecure) != nil
    }

    /// The token that authenticates the request, from the header `Authorization: Bearer …` (RFC 6750) or, without the
    /// header, from the browser's cookie. A cookie's token is stored in the context.
    /// - Throws: `NotAuthenticated`, `Problem` (`crossOriginRequest`).
    func token(_ context: inout TrolleyContext) throws -> Secret {
        if let header = headers[.authorization] {
            guard header.prefix(7).lowercased() == "bearer " else { throw NotAuthenticated() }
            return Secret(text: String(header.dropFirst(7)))
        }
        guard let text = SessionCookie.token(in: headers, isSecure: context.isSecure) else { throw NotAuthenticated() }
        try RequestOrigin.check(self, isSecure: context.isSecure)
        context.cookieToken = text
        return Secret(text: text)
    }
}
