import FoundationEssentials
import HTTPTypes
import JWTKit
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Identity providers", .timeLimit(.minutes(20)))
struct IdentityTests {
    private static let issuer = "https://id.example.com"

    @Test("a token signs a person in, and creates their account once")
    func signingIn() async throws {
        try await Provider.with { provider in
            try await TestService.with(configure: { $0.identity = provider.provider }) { service in
                let first = try await service.signIn(token: try await provider.token())
                #expect(first.status == 201)
                let session: SessionResponse = try first.decode()
                #expect(session.account.email == "anna@example.com" && session.account.name == "Anna")
                let list = ListID.random()
                let made = try await service.call("POST", Path.lists, token: session.token, json: #"{"id":"\#(list)"}"#)
                #expect(made.status == 201)
                // The provider may change the address; the account stays the same.
                let again: SessionResponse = try await service.signIn(
                    token: try await provider.token { $0.email = "anna.new@example.com" }
                ).decode()
                #expect(again.account == session.account && again.device.id != session.device.id)
                #expect(try await service.signIn("anna@example.com", password: "").status == 401)
            }
        }
    }

    @Test("concurrent first sign-ins with one identity create one account")
    func race() async throws {
        try await Provider.with { provider in
            try await TestService.with(connections: 5, configure: { $0.identity = provider.provider }) { service in
                let token = try await provider.token()
                let accounts = try await withThrowingTaskGroup(of: AccountID.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await service.signIn(token: token).decode(SessionResponse.self).account.id
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(accounts.count == 1)
            }
        }
    }

    @Test("an account with the same address is never taken over")
    func takingOver() async throws {
        try await Provider.with { provider in
            try await TestService.with(configure: { $0.identity = provider.provider }) { service in
                _ = try await service.person("anna")
                let answer = try await service.signIn(token: try await provider.token())
                #expect(try answer.outcome == "409 serverRecordChanged")
            }
        }
    }

    @Test(
        "a person without a verified address, or at a closed service, gets no account",
        arguments: [(true, nil), (true, false), (false, true)] as [(Bool, Bool?)])
    func noAccount(isOpen: Bool, isVerified: Bool?) async throws {
        try await Provider.with { provider in
            try await TestService.with(
                registration: isOpen ? .open : .closed, configure: { $0.identity = provider.provider }
            ) { service in
                let token = try await provider.token { $0.emailVerified = isVerified }
                #expect(try await service.signIn(token: token).status == 403)
            }
        }
    }

    @Test("a token for another audience, expired, not yet valid, or with an unknown signature is refused")
    func refusals() async throws {
        try await Provider.with { provider in
            try await TestService.with(configure: { $0.identity = provider.provider }) { service in
                let now = Date.now.timeIntervalSince1970
                var tokens = [
                    "issuer": try await provider.token { $0.iss = "https://evil.example.com" },
                    "audience": try await provider.token { $0.aud = AudienceClaim(value: ["somebody else"]) },
                    "expired": try await provider.token { $0.exp = now - 61 },
                    "not yet": try await provider.token { $0.nbf = now + 120 },
                    "no subject": try await provider.token { $0.sub = "" },
                    "another key": try await provider.token(by: ES256PrivateKey(), kid: "one"),
                    "an unknown key": try await provider.token(by: ES256PrivateKey(), kid: "two"),
                    "nothing": "", "words": "a b c", "dots": "..", "parts": "a.b.c",
                ]
                let good = try await provider.token()
                let parts = good.split(separator: ".").map(String.init)
                let none = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
                tokens["unsigned"] = "\(none).\(parts[1])."
                let hmac = JWTKeyCollection()
                await hmac.add(hmac: HMACKey(from: try provider.keysFile()), digestAlgorithm: .sha256, kid: "one")
                tokens["signed with the public keys as a secret"] = try await hmac.sign(
                    Provider.Claims.good(), kid: "one")
                tokens["tampered with"] = "\(parts[0]).\(Base64URL.encode(Array("{}".utf8))).\(parts[2])"
                for (name, token) in tokens {
                    #expect(try await service.signIn(token: token).status == 401, "\(name)")
                }
                #expect(try await service.signIn(token: good).status == 201)
                let almost = try await provider.token { $0.exp = now - 30 }
                #expect(try await service.signIn(token: almost).status == 201, "clocks are a little apart")
            }
        }
    }

    @Test("a token of a browser's sign-in must answer that sign-in")
    func nonce() async throws {
        try await Provider.with { provider in
            let verifier = IdentityVerifier(provider.provider, logger: .none)
            let token = try await provider.token { $0.nonce = "mine" }
            #expect(try await verifier.identity(from: token, nonce: "mine") != nil)
            #expect(try await verifier.identity(from: token, nonce: "another") == nil)
            #expect(try await verifier.identity(from: try await provider.token(), nonce: "mine") == nil)
            #expect(try await verifier.identity(from: token) != nil, "an app checks its own")
        }
    }

    @Test("only the browser that began a sign-in is led back from it", arguments: [true, false])
    func attempt(isSecure: Bool) throws {
        func attempt(cookie: String) -> SignInAttempt? {
            var headers = HTTPFields()
            headers[.cookie] = "a=b; \(cookie.prefix { $0 != ";" })"
            return SignInAttempt(cookieIn: headers, isSecure: isSecure)
        }
        let begun = SignInAttempt(deviceName: "Anna’s browser; 2")
        let back = try #require(attempt(cookie: begun.cookie(isSecure: isSecure)))
        #expect(back.deviceName == begun.deviceName)
        #expect(back.nonce == begun.nonce && back.verifier == begun.verifier && back.challenge == begun.challenge)
        #expect(Set([back.state, back.nonce, back.verifier, back.challenge]).count == 4 && back.verifier.count == 43)
        #expect(back.isAnswered(state: begun.state, issuer: "x", provider: "x"))
        #expect(!back.isAnswered(state: begun.state, issuer: "y", provider: "x"))
        #expect(!back.isAnswered(state: SignInAttempt(deviceName: "a").state, issuer: "x", provider: "x"))
        #expect(!back.isAnswered(state: nil, issuer: "x", provider: "x"))
        #expect(attempt(cookie: begun.cookie(isSecure: !isSecure)) == nil)
        for text in ["", "x", "x.y", "\(begun.state)", "\(begun.state)."] {
            let name = begun.cookie(isSecure: isSecure).prefix { $0 != "=" }
            #expect(attempt(cookie: "\(name)=\(text)") == nil, "\(text)")
        }
    }

    @Test("without an identity provider no token is taken")
    func nobody() async throws {
        try await TestService.with { service in
            let answer = try await service.signIn(token: "x")
            #expect(answer.status == 400)
        }
    }

    @Test("a new key of the provider's is found, and made-up keys don't make the service ask each time")
    func rotation() async throws {
        try await Provider.with { provider in
            let verifier = IdentityVerifier(provider.provider, logger: .none)
            #expect(try await verifier.identity(from: try await provider.token()) != nil)
            let next = ES256PrivateKey()
            try provider.publish([("two", next)])
            // The service asked a moment ago, so it doesn't ask again yet.
            #expect(try await verifier.identity(from: try await provider.token(by: next, kid: "two")) == nil)
            let fresh = IdentityVerifier(provider.provider, logger: .none)
            #expect(try await fresh.identity(from: try await provider.token(by: next, kid: "two")) != nil)
        }
    }
}

/// An identity provider with keys in a file.
private struct Provider: Sendable {
    struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: AudienceClaim
        var exp: Double
        var nbf: Double?
        var email: String?
        var emailVerified: Bool?
        var name: String?
        var nonce: String?

        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, exp, nbf, email, name, nonce
            case emailVerified = "email_verified"
        }

        func verify(using algorithm: some JWTAlgorithm) throws {}

        static func good() -> Claims {
            Claims(
                iss: "https://id.example.com", sub: "anna-1", aud: AudienceClaim(value: ["trolley"]),
                exp: Date.now.timeIntervalSince1970 + 300, nbf: nil, email: "anna@example.com", emailVerified: true,
                name: "Anna")
        }
    }

    let file: URL
    let key: ES256PrivateKey
    var provider: IdentityProvider {
        IdentityProvider(issuer: "https://id.example.com", audience: "trolley", keys: file.path)
    }

    static func with(_ body: (Provider) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "trolley-\(UUID()).json")
        let provider = Provider(file: file, key: ES256PrivateKey())
        try provider.publish([("one", provider.key)])
        do { try await body(provider) } catch {
            try FileManager.default.removeItem(at: file)
            throw error
        }
        try FileManager.default.removeItem(at: file)
    }

    func publish(_ keys: [(kid: String, key: ES256PrivateKey)]) throws {
        let entries = try keys.map { kid, key in
            let point = try #require(key.publicKey.parameters)
            let (x, y) = (Self.urlSafe(point.x), Self.urlSafe(point.y))
            return #"{"kty":"EC","crv":"P-256","alg":"ES256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"}"#
        }
        // A provider may publish keys of a kind that this service doesn't know.
        let other = #"{"kty":"oct","kid":"secret","k":"AAAA"}"#
        try Data(#"{"keys":[\#(([other] + entries).joined(separator: ","))]}"#.utf8).write(to: file)
    }

    private static func urlSafe(_ base64: String) -> String {
        base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    func keysFile() throws -> Data { try Data(contentsOf: file) }

    func token(_ change: (inout Claims) -> Void = { _ in }) async throws -> String {
        try await token(by: key, kid: "one", change)
    }

    func token(
        by key: ES256PrivateKey, kid: JWKIdentifier, _ change: (inout Claims) -> Void = { _ in }
    ) async throws -> String {
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: key, kid: kid)
        var claims = Claims.good()
        change(&claims)
        return try await keys.sign(claims, kid: kid)
    }
}

extension TestService {
    fileprivate func signIn(token: String) async throws -> Answer {
        try await call("POST", Path.sessions, json: #"{"identityToken":"\#(token)","deviceName":"phone"}"#)
    }

    fileprivate func signIn(_ email: String, password: String) async throws -> Answer {
        try await call("POST", Path.sessions, json: #"{"email":"\#(email)","password":"\#(password)"}"#)
    }
}
