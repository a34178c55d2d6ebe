import Testing
import TrolleyPostgres
import TrolleyWire

@Suite("Deleting an account", .timeLimit(.minutes(20)))
struct AccountDeletionRouteTests {
    @Test("a device that has just signed in needs no body", arguments: [nil, "{}"])
    func withoutBody(body: String?) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let answer = try await service.call(
                "DELETE", Path.account, token: anna.token, body: body.map { Array($0.utf8) })
            #expect(answer.status == 204)
            #expect(try await service.call("GET", Path.account, token: anna.token).status == 401)
            let again = #"{"email":"\#(anna.email)","password":"\#(TestService.password)"}"#
            #expect(try await service.call("POST", Path.sessions, json: again).status == 401)
        }
    }

    @Test("a device that signed in longer ago needs the password, or a new sign-in")
    func unlockedDevice() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            try await service.pool.withConnection {
                _ = try await $0.execute("UPDATE device SET created_at = now() - interval '15 minutes'")
            }
            for body in [nil, "{}", #"{"password":null}"#] {
                let answer = try await service.call(
                    "DELETE", Path.account, token: anna.token, body: body.map { Array($0.utf8) })
                #expect(try answer.outcome == "403 permissionFailure", "\(body ?? "no body")")
            }
            #expect(try await service.call("GET", Path.account, token: anna.token).status == 200)
            let fresh = try await service.signIn(anna.email)
            let password = #"{"password":"\#(TestService.password)"}"#
            #expect(try await service.call("DELETE", Path.account, token: fresh.token).status == 204)
            #expect(try await service.call("DELETE", Path.account, token: anna.token, json: password).status == 401)
        }
    }

    @Test("a wrong password deletes nothing, however fresh the sign-in is")
    func wrongPassword() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            for (body, outcome) in [
                (#"{"password":"wrong horse"}"#, "403 permissionFailure"),
                (#"{"password":""}"#, "403 permissionFailure"),
                (#"{"password":7}"#, "400 invalidArguments"), ("x", "400 invalidArguments"),
                (#"{"identityToken":"x"}"#, "400 invalidArguments"),
            ] {
                let answer = try await service.call("DELETE", Path.account, token: anna.token, json: body)
                #expect(try answer.outcome == outcome, "\(body)")
            }
            #expect(try await service.call("GET", Path.account, token: anna.token).status == 200)
            let right = #"{"password":"\#(TestService.password)"}"#
            #expect(try await service.call("DELETE", Path.account, token: anna.token, json: right).status == 204)
        }
    }

    @Test("another site's page deletes no account by the browser's cookie")
    func crossSite() async throws {
        try await TestService.with { service in
            let cookie = try await service.signUpInBrowser().cookie
            let headers = ["cookie": cookie, "sec-fetch-site": "cross-site"]
            let answer = try await service.call("DELETE", Path.account, headers: headers)
            #expect(try answer.outcome == "403 crossOriginRequest")
            #expect(try await service.browse("DELETE", Path.account, cookie).status == 204)
        }
    }
}
