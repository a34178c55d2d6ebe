import AsyncHTTPClient
import FoundationEssentials
import Logging
import NIOCore
import NIOHTTP1
import TrolleyWire

/// The calls to the provider by which a browser's code becomes a token (OpenID Connect Core 1.0 §3.1, Discovery 1.0).
///
/// The provider is asked for its addresses at most once in ten minutes, and after a failure once in two seconds. Each answer has 64 KiB at
/// most (``IdentityAnswer``). Anybody may have it asked, so few questions are open at a time.
actor IdentityExchange {
    /// What goes wrong at the provider. The log has the reason.
    struct Failure: Error {}

    /// The provider's addresses.
    struct Endpoints: Decodable, Sendable {
        let issuer: String
        let authorization: String
        let token: String
        /// nil: all that the provider says of a person is in the token.
        let profile: String?

        private enum CodingKeys: String, CodingKey {
            case issuer
            case authorization = "authorization_endpoint"
            case token = "token_endpoint"
            case profile = "userinfo_endpoint"
        }
    }

    /// What the provider gives for a code.
    struct Tokens: Decodable, Sendable {
        /// The identity token, which isn't verified yet.
        let identity: String
        /// Opens the person's profile; nil: no profile.
        let access: String?

        private enum CodingKeys: String, CodingKey {
            case identity = "id_token"
            case access = "access_token"
        }
    }

    private struct Profile: Decodable {
        let sub: String
        let email: String?
        let isVerified: Bool?
        let name: String?

        private enum CodingKeys: String, CodingKey {
            case sub, email, name
            case isVerified = "email_verified"
        }
    }

    private let provider: IdentityProvider
    private let logger: Logger
    private var discovery: (began: ContinuousClock.Instant, task: Task<Endpoints, any Error>, hasFailed: Bool)?

    private var open = 0

    private static let mostOpen = 16
    private static let maximumBytes = 64 << 10

    init(_ provider: IdentityProvider, logger: Logger) {
        self.provider = provider
        self.logger = logger
    }

    /// The address to which the browser goes.
    /// - Parameter callback: where the provider leads it afterwards.
    func authorization(of attempt: SignInAttempt, callback: String) async throws -> String {
        let endpoint = try await endpoints().authorization
        let query = Self.form([
            ("response_type", "code"), ("client_id", provider.audience), ("redirect_uri", callback),
            ("scope", "openid email profile"), ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ])
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Redeems a code.
    /// - Throws: `Problem` `notAuthenticated` for a code that the provider doesn't take; ``Failure``.
    func tokens(for code: String, of attempt: SignInAttempt, callback: String) async throws -> Tokens {
        var request = HTTPClientRequest(url: try await endpoints().token)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Accept", value: "application/json")
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", callback),
            ("client_id", provider.audience), ("code_verifier", attempt.verifier),
        ]
        if let secret = provider.browsers?.secret { fields.append(("client_secret", secret)) }
        request.body = .bytes(ByteBuffer(string: Self.form(fields)))
        return try await answer(to: request, as: Tokens.self, refusal: "invalid_grant")
    }

    /// Adds the address and the name to an identity whose token has no address: providers may keep them for the profile (OpenID
    /// Connect Core 1.0 §5.4).
    func complete(_ identity: Identity, by tokens: Tokens) async throws -> Identity {
        guard let address = try await endpoints().profile, let access = tokens.access else { return identity }
        var request = HTTPClientRequest(url: address)
        request.headers.add(name: "Authorization", value: "Bearer \(access)")
        let profile = try await answer(to: request, as: Profile.self)
        guard profile.sub == identity.subject else { throw failure("its profile is somebody else's") }
        return Identity(
            issuer: identity.issuer, subject: identity.subject, email: profile.isVerified == true ? profile.email : nil,
            name: profile.name ?? identity.name)
    }

    private func endpoints() async throws -> Endpoints {
        if let discovery {
            let age = ContinuousClock.now - discovery.began
            if age < (discovery.hasFailed ? .seconds(2) : .seconds(600)) { return try await discovery.task.value }
        }
        let task = Task { try await discover() }
        discovery = (.now, task, false)
        do { return try await task.value } catch {
            discovery?.hasFailed = true
            throw error
        }
    }

    private func discover() async throws -> Endpoints {
        let base = provider.issuer.hasSuffix("/") ? String(provider.issuer.dropLast()) : provider.issuer
        let found = try await answer(
            to: HTTPClientRequest(url: base + "/.well-known/openid-configuration"), as: Endpoints.self)
        guard found.issuer == provider.issuer else { throw failure("it calls itself \(found.issuer)") }
        // An operator who names a provider without TLS has chosen that.
        let isSecure = !provider.issuer.hasPrefix("http://")
        for address in [found.authorization, found.token, found.profile].compactMap(\.self)
        where !address.hasPrefix("https://") && (isSecure || !address.hasPrefix("http://")) {
            throw failure("its endpoints have no https address")
        }
        return found
    }

    /// - Parameter refusal: the error by which the provider refuses what a person brought (RFC 6749 §5.2). All others are faults of the
    ///   provider or of this service's settings.
    private func answer<Answer: Decodable>(
        to request: HTTPClientRequest, as: Answer.Type, refusal: String? = nil
    ) async throws -> Answer {
        guard open < Self.mostOpen else { throw failure("too many questions to it are open") }
        open += 1
        defer { open -= 1 }
        do {
            let bytes = try await IdentityAnswer.body(of: request, upTo: Self.maximumBytes)
            return try JSONDecoder().decode(Answer.self, from: bytes)
        } catch let error as IdentityAnswer.Unusable {
            let logged = failure(error.reason)
            if let refusal, error.code == refusal {
                throw Problem(.notAuthenticated, "the identity provider has signed nobody in")
            }
            throw logged
        } catch {
            throw failure("\(error)")
        }
    }

    private func failure(_ reason: String) -> Failure {
        logger.warning("the identity provider gave no usable answer", metadata: ["reason": "\(reason)"])
        return Failure()
    }

    /// `application/x-www-form-urlencoded`.
    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { name, value in "\(name)=\(value.percentEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// All but RFC 3986's unreserved characters as `%` and their bytes.
    fileprivate var percentEncoded: String {
        utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
