import HTTPTypes
import Hummingbird

/// The cookie that carries a browser's session.
///
/// Its name is `__Host-trolley` if the browser uses TLS; then the browser sends it only with TLS, and no other host can
/// set it (RFC 6265bis §4.1.3). Otherwise the name is `trolley`. Scripts can't read it, and pages of other sites can't
/// send it.
enum SessionCookie {
    /// The longest lifetime that browsers accept (RFC 6265bis §5.5): 400 days, in seconds.
    private static let longest: Int64 = 400 * 86_400

    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-trolley" : "trolley" }

    /// The value of `Set-Cookie` that gives a browser its session.
    /// - Parameter sessionIdle: milliseconds after which an unused session ends; nil: never.
    static func setting(_ token: String, isSecure: Bool, sessionIdle: Int64?) -> String {
        line(token, isSecure: isSecure, seconds: min(sessionIdle.map { $0 / 1000 } ?? longest, longest))
    }

    /// The value of `Set-Cookie` that deletes the cookie.
    static func clearing(isSecure: Bool) -> String { line("", isSecure: isSecure, seconds: 0) }

    private static func line(_ value: String, isSecure: Bool, seconds: Int64) -> String {
        "\(name(isSecure: isSecure))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    /// The token in a request's cookie; nil if there is none. Also nil if there are several different ones, because
    /// another host of the domain may have set one.
    static func token(in headers: HTTPFields, isSecure: Bool) -> String? {
        value(of: name(isSecure: isSecure), in: headers)
    }

    /// The value of a cookie; nil if there is none, or several different ones of that name.
    static func value(of name: String, in headers: HTTPFields) -> String? {
        let pairs = headers[values: .cookie].flatMap { $0.split(separator: ";") }
        let values = pairs.compactMap { pair -> Substring? in
            let pair = pair.drop { $0 == " " }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { return nil }
            return pair[pair.index(after: equals)...]
        }
        guard let value = values.first, !value.isEmpty, values.allSatisfy({ $0 == value }) else { return nil }
        return String(value)
    }
}

extension Response {
    /// The response with the session's cookie for the browser.
    func settingCookie(_ token: String, sessionIdle: Int64?, in context: TrolleyContext) -> Response {
        var response = self
        response.headers[.setCookie] = SessionCookie.setting(
            token, isSecure: context.isSecure, sessionIdle: sessionIdle)
        return response
    }

    /// The response to a request that has ended the session. It deletes the cookie of a browser that has one.
    func clearingCookie(in context: TrolleyContext) -> Response {
        guard context.cookieToken != nil else { return self }
        var response = self
        response.headers[.setCookie] = SessionCookie.clearing(isSecure: context.isSecure)
        return response
    }
}
