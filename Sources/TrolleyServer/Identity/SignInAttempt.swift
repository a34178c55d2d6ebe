import Crypto
import HTTPTypes
import TrolleyWire

/// What a browser keeps in a cookie while its person is at the identity provider: one secret, from which everything else
/// follows. So the service keeps nothing, and any of its processes can go on.
struct SignInAttempt {
    private let secret: Secret
    /// What the person's devices list calls the browser.
    let deviceName: String

    /// How long the person may take at the provider, in seconds.
    private static let lifetime = 600

    init(deviceName: String) {
        secret = Secret()
        self.deviceName = deviceName
    }

    /// Comes back from the provider with the person, to show that this browser began (RFC 6749 §10.12).
    var state: String { derived("state") }
    /// Comes back in the token, to show that it answers this attempt.
    var nonce: String { derived("nonce") }
    /// Shows to the provider that who redeems the code is who began (RFC 7636).
    var verifier: String { derived("verifier") }
    var challenge: String { Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8)))) }

    /// Whether the provider leads a browser back from this attempt, and not from one of somebody else's or at another provider
    /// (RFC 9207).
    func isAnswered(state: String?, issuer: String?, provider: String?) -> Bool {
        state == self.state && issuer == provider
    }

    private func derived(_ purpose: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array("trolley sign-in \(purpose) \(secret.text)".utf8))))
    }

    // MARK: The cookie

    private static func name(isSecure: Bool) -> String { isSecure ? "__Host-trolley-sign-in" : "trolley-sign-in" }

    /// nil: the browser has begun nothing lately.
    init?(cookieIn headers: HTTPFields, isSecure: Bool) {
        let parts = SessionCookie.value(of: Self.name(isSecure: isSecure), in: headers)?.split(separator: ".") ?? []
        guard parts.count == 2, parts[0].utf8.count == 43, let name = Base64URL.decode(String(parts[1])) else {
            return nil
        }
        secret = Secret(text: String(parts[0]))
        deviceName = String(decoding: name, as: UTF8.self)
    }

    /// The value of `Set-Cookie`. The browser sends the cookie also when the provider leads it back here (`Lax`).
    func cookie(isSecure: Bool) -> String {
        Self.line(
            "\(secret.text).\(Base64URL.encode(Array(deviceName.utf8)))", isSecure: isSecure, seconds: Self.lifetime)
    }

    static func clearing(isSecure: Bool) -> String { line("", isSecure: isSecure, seconds: 0) }

    private static func line(_ value: String, isSecure: Bool, seconds: Int) -> String {
        "\(name(isSecure: isSecure))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
            + (isSecure ? "; Secure" : "")
    }
}
