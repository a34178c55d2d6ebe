import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@Suite("Accounts over HTTP", .timeLimit(.minutes(20)))
struct AccountRouteTests {
    @Test("a person signs up and in, and the account has their name and address")
    func signUp() async throws {
        try await TestService.with { service in
            let answer = try await service.call(
                "POST", Path.accounts,
                json: #"{"email":" Anna@Example.com ","name":"  Anna Ä ","password":"correct horse"}"#)
            #expect(answer.status == 201)
            let account: AccountResponse = try answer.decode()
            #expect(account.email == "Anna@Example.com" && account.name == "Anna Ä")
            let anna = try await service.signIn("anna@example.COM")
            #expect(try await service.call("GET", Path.account, token: anna.token).decode() == account)
            #expect(anna.token.utf8.count == 43)
        }
    }

    @Test(
        "a sign-up that can't be is refused",
        arguments: [
            (#"{"email":"","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"anna","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"@example.com","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"anna@","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a@b@c","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a@\u0301b@c","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"an na@example.com","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a\u0000@example.com","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"\#(String(repeating: "a", count: 251))@b.c","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a@b.c","name":"","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":" \t ","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A\u0000","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A\u001b[8mB","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A\nB","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A\u009b2JB","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A\u202eB","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A","password":"12345678","deviceName":"\u001b]0;x"}"#, "deviceName"),
            (#"{"email":"a\u009b2J@b.c","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a\u202e@b.c","name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a@b.c","name":"\#(String(repeating: "a", count: 101))","password":"12345678"}"#, "name"),
            // This is one character for a person.
            (
                #"{"email":"a@b.c","name":"a\#(String(repeating: "\u{301}", count: 100))","password":"12345678"}"#,
                "name"
            ),
            (#"{"email":"a@b.c","name":"A","password":"1234567"}"#, "password"),
            (#"{"email":"a@b.c","name":"A","password":"\#(String(repeating: "a", count: 201))"}"#, "password"),
            (#"{"name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a@b.c","password":"12345678"}"#, "name"),
            (#"{"email":"a@b.c","name":"A"}"#, "password"),
            (#"{"email":"a@b.c","name":"A","password":null}"#, "password"),
            (#"{"email":7,"name":"A","password":"12345678"}"#, "email"),
            (#"{"email":"a@b.c","name":"A","password":"12345678""#, "JSON"),
            (#"[]"#, ""),
            ("", "JSON"),
        ])
    func refusedSignUp(json: String, word: String) async throws {
        try await TestService.with { service in
            let answer = try await service.call("POST", Path.accounts, json: json)
            let problem = try answer.problem
            #expect(problem.code == .invalidArguments)
            #expect(problem.detail?.contains(word) == true, "\(problem.detail ?? "")")
            let accounts = try await service.pool.withConnection { try await $0.execute("SELECT FROM account").count }
            #expect(accounts == 0)
        }
    }

    @Test("a person changes their name and the colour of their picture, and others see both")
    func profile() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            func change(_ json: String) async throws -> AccountResponse {
                try await service.call("PATCH", Path.account, token: ben.token, body: Array(json.utf8)).decode()
            }
            let changed = try await change(#"{"name":" Benjamin ","colour":" teal "}"#)
            #expect(changed.name == "Benjamin" && changed.colour == "teal")
            let same = try await change("{}")
            #expect(same == changed)
            let share: ShareResponse = try await service.call("GET", Path.share(list), token: anna.token).decode()
            #expect(share.share.participants.map(\.name) == ["anna", "Benjamin"])
            #expect(share.share.participants.map(\.colour) == [nil, "teal"])
            let told = try await service.changes(list, for: anna).changes.compactMap { change in
                if case .share(let share) = change.body { share } else { nil }
            }
            #expect(told.last?.participants.map(\.name) == ["anna", "Benjamin"])
            #expect(try await change(#"{"colour":" "}"#).colour == nil)
            #expect(try await change(#"{"colour":"red"}"#).colour == "red")
            #expect(try await change(#"{"colour":""}"#).colour == nil)
        }
    }

    @Test(
        "a name or a colour that can't be is refused, and changes nothing",
        arguments: [
            (#"{"name":""}"#, "name"), (#"{"name":"A\nB"}"#, "name"), (#"{"name":7}"#, "name"),
            (#"{"name":"\#(String(repeating: "a", count: 101))","colour":"red"}"#, "name"),
            (#"{"colour":"\#(String(repeating: "a", count: 41))"}"#, "colour"), (#"{"colour":"\u001b[8m"}"#, "colour"),
            (#"{"name":"A\u0000"}"#, "name"), ("[]", ""), ("", "JSON"),
        ])
    func refusedProfile(json: String, word: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let answer = try await service.call("PATCH", Path.account, token: anna.token, body: Array(json.utf8))
            #expect(try answer.problem.code == .invalidArguments)
            #expect(try answer.problem.detail?.contains(word) == true)
            let account: AccountResponse = try await service.call("GET", Path.account, token: anna.token).decode()
            #expect(account.name == "anna" && account.colour == nil)
        }
    }

    @Test("passwords of 8 and of 200 characters will do", arguments: [8, 200])
    func passwordLengths(length: Int) async throws {
        try await TestService.with { service async throws in
            let password = String(repeating: "ä", count: length)
            let json = #"{"email":"a@b.c","name":"A","password":"\#(password)"}"#
            #expect(try await service.call("POST", Path.accounts, json: json).status == 201)
            #expect(try await service.call("POST", Path.sessions, json: json).status == 201)
        }
    }

    @Test("an address that is taken is taken in upper case too")
    func taken() async throws {
        try await TestService.with { service in
            _ = try await service.person("anna")
            let answer = try await service.call(
                "POST", Path.accounts, json: #"{"email":"ANNA@example.com","name":"A","password":"12345678"}"#)
            #expect(try answer.outcome == "409 serverRecordChanged")
        }
    }

    @Test("the answers to a wrong password and to an unknown address are the same")
    func wrongCredentials() async throws {
        try await TestService.with { service in
            _ = try await service.person("anna")
            var answers: Set<[UInt8]> = []
            for (email, password) in [
                ("anna@example.com", "wrong horse"), ("anna@example.com", ""), ("ben@example.com", "correct horse"),
                ("no address", "correct horse"), ("", ""), (#"a\u0000b"#, "correct horse"),
            ] {
                let answer = try await service.call(
                    "POST", Path.sessions, body: Array(#"{"email":"\#(email)","password":"\#(password)"}"#.utf8),
                    headers: ["x-request-id": "same"])
                #expect(try answer.outcome == "401 notAuthenticated")
                answers.insert(answer.body)
            }
            #expect(answers.count == 1)
        }
    }

    @Test("a device that signs out is signed out, and the person's other device is not")
    func signOut() async throws {
        try await TestService.with { service in
            let phone = try await service.person("anna")
            let desk = try await service.signIn("anna@example.com")
            #expect(try await service.call("DELETE", Path.session, token: phone.token).status == 204)
            let answer = try await service.call("GET", Path.account, token: phone.token)
            #expect(try answer.outcome == "401 notAuthenticated")
            #expect(answer.headers["www-authenticate"] == #"Bearer error="invalid_token""#)
            let without = try await service.call("GET", Path.account)
            #expect(without.headers["www-authenticate"] == "Bearer")
            let devices: DevicesResponse = try await service.call("GET", Path.devices, token: desk.token).decode()
            #expect(devices.devices.map(\.id) == [desk.device] && devices.devices[0].current)
        }
    }

    @Test("a device signs out another device of its account, and no other account's")
    func otherDevice() async throws {
        try await TestService.with { service in
            let phone = try await service.person("anna")
            let desk = try await service.signIn("anna@example.com")
            let mallory = try await service.person("mallory")
            let path = Path.device(phone.device)
            #expect(try await service.call("DELETE", path, token: mallory.token).outcome == "404 unknownItem")
            #expect(try await service.call("GET", Path.account, token: phone.token).status == 200)
            #expect(try await service.call("DELETE", path, token: desk.token).status == 204)
            #expect(try await service.call("DELETE", path, token: desk.token).status == 204)
            #expect(try await service.call("GET", Path.account, token: phone.token).status == 401)
            #expect(
                try await service.call("DELETE", "\(Path.devices)/x", token: desk.token).outcome == "404 unknownItem")
        }
    }

    @Test(
        "an invalid bearer token gives no access",
        arguments: ["", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Bearer \(String(repeating: "A", count: 43))"])
    func wrongToken(header: String) async throws {
        try await TestService.with { service in
            let answer = try await service.call("GET", Path.account, headers: ["authorization": header])
            #expect(try answer.outcome == "401 notAuthenticated")
        }
    }

    @Test("the database holds neither passwords nor tokens")
    func secrets() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let secret = try await service.invite(nil, to: list, of: anna)
            let rows = try await service.pool.withConnection {
                try await $0.execute(
                    """
                    SELECT account::text FROM account UNION ALL SELECT device::text FROM device
                    UNION ALL SELECT encode(token_hash, 'escape') FROM device
                    UNION ALL SELECT encode(secret_hash, 'escape') FROM invitation
                    """)
            }
            let stored = try rows.map { try $0.decode(String.self, at: 0) }.joined()
            #expect(stored.contains("$scrypt$ln=4,r=8,p=1$"))
            for secret in [TestService.password, anna.token, secret] { #expect(!stored.contains(secret)) }
        }
    }
}
