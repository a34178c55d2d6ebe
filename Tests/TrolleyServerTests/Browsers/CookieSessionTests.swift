import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Cookie sessions", .timeLimit(.minutes(20)))
struct CookieSessionTests {
    @Test("signing up or in with cookie sets a cookie that scripts can't read, and the body has no token")
    func setting() async throws {
        try await TestService.with(sessionIdle: 86_400_000) { service in
            let up = try await service.signUpInBrowser()
            let `in` = try await service.signInInBrowser()
            for answer in [up, `in`] {
                #expect(answer.status == 201)
                let line = try #require(answer.headers["set-cookie"])
                #expect(
                    line.firstMatch(
                        of: /^trolley=([A-Za-z0-9_-]{43}); Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/) != nil,
                    "\(line)")
                #expect(try !answer.text.contains("token") && !answer.text.contains(answer.cookieToken))
                #expect(answer.text.contains(#""device":{"#))
            }
            #expect(try up.decode(AccountResponse.self).email == "anna@example.com")
            let devices: DevicesResponse = try await service.browse("GET", Path.devices, try `in`.cookie).decode()
            #expect(devices.devices.map(\.name).sorted() == ["A browser", "A device"])
        }
    }

    @Test("without cookie, signing up and in answer as before")
    func asBefore() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let answer = try await service.call(
                "POST", Path.sessions,
                json: #"{"email":"\#(anna.email)","password":"\#(TestService.password)","cookie":false}"#)
            #expect(answer.headers["set-cookie"] == nil)
            #expect(try answer.decode(SessionResponse.self).token.count == 43)
        }
    }

    @Test("a session that never ends by itself has a cookie for as long as browsers allow, 400 days")
    func longest() async throws {
        try await TestService.with(sessionIdle: nil) { service in
            let answer = try await service.signUpInBrowser()
            #expect(answer.headers["set-cookie"]?.contains("; Max-Age=34560000;") == true)
        }
    }

    @Test("the cookie opens every call: a list is made, filled, fetched and read")
    func wholeSync() async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            let list = ListID.random()
            #expect(try await service.browse("POST", Path.lists, cookie, #"{"id":"\#(list)"}"#).status == 201)
            let upload = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
            let body = String(decoding: upload.json, as: UTF8.self)
            #expect(try await service.browse("POST", Path.entries(list), cookie, body).status == 200)
            let changes = try await service.browse("POST", Path.changes, cookie, #"{"tokens":{}}"#)
            #expect(changes.status == 200 && changes.text.contains("milk"))
            #expect(try await service.browse("GET", Path.state(list), cookie).text.contains("milk"))
            let hosted = try await service.browse("POST", Path.hosted, cookie, #"{"name":"speaker"}"#)
            let device: HostedDeviceResponse = try hosted.decode()
            #expect(try await service.browse("GET", "\(Path.hosted)/\(device.id)/queue", cookie).status == 200)
        }
    }

    @Test("reading the account renews the cookie; other calls leave it")
    func renewing() async throws {
        try await TestService.with { service in
            let up = try await service.signUpInBrowser()
            let read = try await service.browse("GET", Path.account, try up.cookie)
            #expect(read.headers["set-cookie"] == up.headers["set-cookie"])
            #expect(try await service.browse("GET", Path.lists, try up.cookie).headers["set-cookie"] == nil)
            let byHeader = try await service.call("GET", Path.account, token: try up.cookieToken)
            #expect(byHeader.headers["set-cookie"] == nil)
        }
    }

    @Test(
        "a request of another site, or of an unknown one that changes something, is refused and does nothing",
        arguments: [
            ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"], ["sec-fetch-site": "none"],
            ["sec-fetch-site": "cross-site", "origin": "OWN"], ["sec-fetch-site": ""],
            ["origin": "https://evil.example"], ["origin": "null"], ["origin": ""], ["origin": "OWN.evil.example"],
            ["origin": "HTTPS"], [:],
        ] as [[String: String]])
    func crossSite(headers: [String: String]) async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            let own = service.url
            var headers = headers.mapValues {
                $0.replacing("OWN", with: own).replacing("HTTPS", with: own.replacing("http:", with: "https:"))
            }
            let list = ListID.random()
            for json in [#"{"email":"anna@example.com","password":"\#(TestService.password)","cookie":true}"#] {
                let answer = try await service.call("POST", Path.sessions, body: Array(json.utf8), headers: headers)
                #expect(try answer.outcome == "403 crossOriginRequest" && answer.headers["set-cookie"] == nil)
            }
            let up = #"{"email":"ben@example.com","name":"Ben","password":"12345678","cookie":true}"#
            let signUp = try await service.call("POST", Path.accounts, body: Array(up.utf8), headers: headers)
            #expect(try signUp.outcome == "403 crossOriginRequest")
            headers["cookie"] = cookie
            let made = try await service.call(
                "POST", Path.lists, body: Array(#"{"id":"\#(list)"}"#.utf8), headers: headers)
            #expect(try made.outcome == "403 crossOriginRequest")
            #expect(try await service.call("DELETE", Path.session, headers: headers).status == 403)
            // Reading is refused, too, if the browser says that another site makes the request.
            let read = try await service.call("GET", Path.lists, headers: headers)
            #expect(read.status == (headers.count == 1 ? 200 : 403))
            let own2 = try await service.browse("GET", Path.lists, cookie)
            #expect(own2.status == 200 && !own2.text.contains("\(list)"))
            // The account of the refused sign-up was not created.
            #expect(
                try await service.call("POST", Path.accounts, json: up.replacing(#","cookie":true"#, with: ""))
                    .status == 201)
        }
    }

    @Test("where Sec-Fetch-Site is missing, the service's own Origin admits a change")
    func ownOrigin() async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            let headers = ["cookie": cookie, "origin": service.url]
            let made = try await service.call(
                "POST", Path.lists, body: Array(#"{"id":"\#(ListID.random())"}"#.utf8), headers: headers)
            #expect(made.status == 201)
        }
    }

    @Test("with both, Authorization decides: the cookie is not read, and its origin not looked at")
    func both() async throws {
        try await TestService.with { service in
            let ben = try await service.person("ben")
            let cookie = try await service.signUpInBrowser().cookie
            let other = ["cookie": cookie, "sec-fetch-site": "cross-site"]
            let answer = try await service.call("GET", Path.account, token: ben.token, headers: other)
            #expect(try answer.decode(AccountResponse.self).email == ben.email && answer.headers["set-cookie"] == nil)
            for wrong in ["Bearer x", "Bearer ", "Basic YTpi", "x"] {
                let headers = ["cookie": cookie, "sec-fetch-site": "same-origin", "authorization": wrong]
                let answer = try await service.call("GET", Path.account, headers: headers)
                #expect(try answer.outcome == "401 notAuthenticated", "\(wrong)")
            }
            // Signing out with the token keeps the cookie and its session.
            let out = try await service.call("DELETE", Path.session, token: ben.token, headers: other)
            #expect(out.status == 204 && out.headers["set-cookie"] == nil)
            #expect(try await service.browse("GET", Path.account, cookie).status == 200)
        }
    }

    @Test(
        "signing out, by either call, and deleting the account take the cookie away, and it is refused from then on",
        arguments: ["session", "device", "account"])
    func ending(how: String) async throws {
        try await TestService.with { service in
            let up = try await service.signUpInBrowser()
            let cookie = try up.cookie
            let devices: DevicesResponse = try await service.browse("GET", Path.devices, cookie).decode()
            let device = try #require(devices.devices.first?.id)
            let out =
                switch how {
                case "session": try await service.browse("DELETE", Path.session, cookie)
                case "device": try await service.browse("DELETE", Path.device(device), cookie)
                default:
                    try await service.browse(
                        "DELETE", Path.account, cookie, #"{"password":"\#(TestService.password)"}"#)
                }
            #expect(out.status == 204)
            #expect(out.headers["set-cookie"] == "trolley=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
            let after = try await service.browse("GET", Path.lists, cookie)
            #expect(try after.outcome == "401 notAuthenticated")
            let empty = try await service.browse("GET", Path.lists, "trolley=")
            #expect(try empty.outcome == "401 notAuthenticated")
        }
    }

    @Test("a cookie of a session that another device has ended is refused")
    func endedElsewhere() async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            let phone = try await service.signIn("anna@example.com")
            let devices: DevicesResponse = try await service.browse("GET", Path.devices, cookie).decode()
            let browser = try #require(devices.devices.first { $0.current }?.id)
            let out = try await service.call("DELETE", Path.device(browser), token: phone.token)
            #expect(out.status == 204 && out.headers["set-cookie"] == nil)
            #expect(try await service.browse("GET", Path.lists, cookie).outcome == "401 notAuthenticated")
        }
    }

    @Test("a cookie among others is found; two different ones of its name are none")
    func severalCookies() async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            #expect(try await service.browse("GET", Path.lists, "a=b; \(cookie); xtrolley=1").status == 200)
            #expect(try await service.browse("GET", Path.lists, "\(cookie); \(cookie)").status == 200)
            for bad in ["\(cookie); trolley=x", "x\(cookie)", "__Host-\(cookie)", "trolley", "", ";;=;"] {
                #expect(try await service.browse("GET", Path.lists, bad).outcome == "401 notAuthenticated", "\(bad)")
            }
        }
    }

    @Test("a token in the URL opens nothing")
    func neverInURL() async throws {
        try await TestService.with { service in
            let token = try await service.person("anna").token
            for name in ["token", "access_token", "trolley", "__Host-trolley"] {
                let answer = try await service.call("GET", "\(Path.lists)?\(name)=\(token)")
                #expect(try answer.outcome == "401 notAuthenticated")
            }
        }
    }

    @Test("behind a trusted proxy that says https, the cookie is __Host-trolley with Secure, and no other is read")
    func behindProxy() async throws {
        let trusting: (inout ServiceConfiguration) -> Void = { $0.proxies = ProxyTrust(proxies: IPNetwork.loopback) }
        try await TestService.with(configure: trusting) { service in
            let https = ["x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7"]
            let up = try await service.signUpInBrowser(headers: https)
            let line = try #require(up.headers["set-cookie"])
            #expect(line.hasPrefix("__Host-trolley=") && line.hasSuffix("; HttpOnly; SameSite=Strict; Secure"))
            #expect(line.contains("; Path=/;") && !line.contains("Domain"))
            let cookie = try up.cookie
            #expect(try await service.browse("GET", Path.lists, cookie, headers: https).status == 200)
            let plain = cookie.replacing("__Host-", with: "")
            #expect(try await service.browse("GET", Path.lists, plain, headers: https).status == 401)
            #expect(try await service.browse("GET", Path.lists, cookie).status == 401, "the proxy says http")
            let own = ["cookie": cookie, "origin": service.url.replacing("http:", with: "https:")]
                .merging(https) { $1 }
            let made = try await service.call(
                "POST", Path.lists, body: Array(#"{"id":"\#(ListID.random())"}"#.utf8), headers: own)
            #expect(made.status == 201)
        }
    }

    @Test("an untrusted client that says https gets the cookie of a plain connection")
    func untrustedProxy() async throws {
        try await TestService.with { service in
            let up = try await service.signUpInBrowser(headers: ["x-forwarded-proto": "https"])
            #expect(up.headers["set-cookie"]?.hasPrefix("trolley=") == true)
        }
    }

    @Test("an event stream opens by the cookie, as EventSource asks for it, and ends with the session")
    func events() async throws {
        try await TestService.with(connections: 4) { service in
            let cookie = try await service.signUpInBrowser().cookie
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "GET \(Path.events) HTTP/1.1\r\nhost: x\r\ncookie: \(cookie)\r\nsec-fetch-site: same-origin\r\n"
                        + "accept: text/event-stream\r\n\r\n")
                let heard = try await reader.read(until: "event: sync")
                #expect(heard.contains("event: sync"))
                _ = try await service.browse("DELETE", Path.session, cookie)
                #expect(try await reader.read(until: "\r\n0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            }
            let other = try await service.signInInBrowser().cookie
            let refused = try await service.call(
                "GET", Path.events, headers: ["cookie": other, "sec-fetch-site": "cross-site"])
            #expect(try refused.outcome == "403 crossOriginRequest")
        }
    }
}

extension Answer {
    /// `name=value`, as the browser sends it back.
    var cookie: String {
        get throws {
            let line = try #require(headers["set-cookie"])
            return String(line.prefix { $0 != ";" })
        }
    }

    var cookieToken: String {
        get throws { String(try cookie.drop { $0 != "=" }.dropFirst()) }
    }
}

extension TestService {
    private static let ownPage = ["sec-fetch-site": "same-origin"]

    /// Anna's sign-up, from a page of the service.
    func signUpInBrowser(headers: [String: String] = [:]) async throws -> Answer {
        let json = #"{"email":"anna@example.com","name":"Anna","password":"\#(Self.password)","cookie":true}"#
        return try await call(
            "POST", Path.accounts, body: Array(json.utf8), headers: Self.ownPage.merging(headers) { $1 })
    }

    func signInInBrowser() async throws -> Answer {
        let json =
            #"{"email":"anna@example.com","password":"\#(Self.password)","deviceName":"A browser","cookie":true}"#
        return try await call("POST", Path.sessions, body: Array(json.utf8), headers: Self.ownPage)
    }

    /// A call from a page of the service, with its cookie.
    func browse(
        _ method: String, _ path: String, _ cookie: String, _ json: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await call(
            method, path, body: json.map { Array($0.utf8) },
            headers: Self.ownPage.merging(["cookie": cookie]) { $1 }.merging(headers) { $1 })
    }
}
