import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Personal tokens", .timeLimit(.minutes(20)))
struct PersonalTokenTests {
    @Test("a token acts as a device of its account, under its own name in the Activity")
    func acting() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let made = try await service.personalToken(of: anna, #"{"name":"Ann's Thunderbird"}"#)
            #expect(made.token?.wholeMatch(of: /trl_[a-z2-7]{26}/) != nil)
            let thunderbird = made.person(like: anna)
            _ = try await service.upload([.add("milk")], to: list, by: thunderbird)
            _ = try await service.upload([.add("bread")], to: list, by: anna)
            let activity = try await service.call("GET", Path.activity(list), token: anna.token)
            let items = try ActivityPage(json: activity.body).activity
            #expect(items.map(\.deviceName) == [nil, "Ann's Thunderbird"])
            #expect(items.map(\.authorName) == ["anna", "anna"])
            let tokens: PersonalTokensResponse = try await service.call("GET", Path.tokens, token: anna.token).decode()
            #expect(tokens.tokens.map(\.name) == ["Ann's Thunderbird"])
            #expect(tokens.tokens[0].token == nil, "it is shown once")
        }
    }

    @Test("the database has the token's hash only, and says when the token was last used")
    func hashed() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let made = try await service.personalToken(of: anna)
            func used() async throws -> Timestamp? {
                try await service.call("GET", Path.tokens, token: anna.token)
                    .decode(PersonalTokensResponse.self).tokens[0].lastUsedAt
            }
            #expect(try await used() == nil)
            // Uses are noted to the minute.
            _ = try await service.pool.withConnection { connection in
                try await connection.execute("UPDATE device SET last_seen_at = now() - interval '2 minutes'")
            }
            _ = try await service.call("GET", Path.lists, token: made.token)
            #expect(try await used() != nil)
            let text = try #require(made.token)
            let rows = try await service.pool.withConnection { connection in
                try await connection.execute(
                    "SELECT row_to_json(personal_token)::text FROM personal_token UNION SELECT row_to_json(device)::text FROM device"
                )
            }
            for row in rows { #expect(try !row.decode(String.self, at: 0).contains(text)) }
        }
    }

    @Test("a token can't do what needs a person, call by call")
    func notThePerson() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try await service.personalToken(of: anna).token
            for (method, path) in [
                ("GET", Path.tokens), ("DELETE", Path.account), ("GET", Path.devices), ("DELETE", Path.session),
                ("GET", Path.export), ("GET", Path.diagnostics), ("GET", Path.operatorOverview),
                ("GET", Path.webhooks), ("GET", Path.hosted),
                ("GET", Path.invitations(list)), ("DELETE", Path.share(list)), ("GET", Path.socket),
            ] {
                #expect(
                    try await service.outcome(method, path, token: token) == "403 permissionFailure",
                    "\(method) \(path)")
            }
            let more = try await service.call("POST", Path.tokens, token: token, json: #"{"name":"more"}"#)
            #expect(try more.outcome == "403 permissionFailure")
            #expect(try await service.outcome("GET", Path.account, token: token) == "200")
        }
    }

    @Test("every call of the service is either named for personal tokens or refused to them")
    func everyCall() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try await service.personalToken(of: anna).token
            var refused = 0
            for route in service.service.routes {
                guard let row = PermissionTable.row(of: route)?.row, !row.isOpen else { continue }
                // A token may open the stream, which doesn't end by itself.
                if route.pattern == Path.events { continue }
                let path = route.path(with: ["list": "\(list)"], otherwise: "\(ListID.random())")
                let answer = try await service.call(route.method, path, token: token)
                if try answer.status == 403 && answer.problem.detail?.contains("personal token can't") == true {
                    refused += 1
                }
            }
            #expect(refused > 40, "most of the service is not for programs: \(refused)")
        }
    }

    @Test("a read-only token reads and changes nothing")
    func readOnly() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try await service.personalToken(of: anna, #"{"name":"wall","readOnly":true}"#).token
            #expect(try await service.outcome("GET", Path.state(list), token: token) == "200")
            let request = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
            let upload = try await service.call("POST", Path.entries(list), token: token, body: request.json)
            #expect(try upload.outcome == "403 permissionFailure")
            let made = try await service.call("POST", Path.lists, token: token, json: #"{"id":"\#(ListID.random())"}"#)
            #expect(try made.outcome == "403 permissionFailure")
            #expect(try await service.outcome("DELETE", Path.list(list), token: token) == "403 permissionFailure")
            #expect(try await service.changes(list, for: anna).changes.isEmpty)
        }
    }

    @Test("a token for some lists never learns of the others")
    func someLists() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let (opened, other) = (try await service.list(of: anna), try await service.list(of: anna))
            let token = try #require(
                try await service.personalToken(of: anna, #"{"name":"shop","lists":["\#(opened)"]}"#).token)
            let lists: ListsResponse = try await service.call("GET", Path.lists, token: token).decode()
            #expect(lists.lists.map(\.id) == [opened])
            for path in [Path.state(other), Path.changes(other), Path.activity(other), Path.share(other)] {
                #expect(try await service.outcome("GET", path, token: token) == "404 listNotFound", "\(path)")
            }
            let nobodys = try await service.outcome("GET", Path.state(.random()), token: token)
            #expect(nobodys == "404 listNotFound", "as a list that doesn't exist")
            let request = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
            let upload = try await service.call("POST", Path.entries(other), token: token, body: request.json)
            #expect(try upload.outcome == "404 listNotFound")
            let changes = try await service.call(
                "POST", Path.changes, token: token, json: #"{"tokens":{},"afresh":["\#(other)"]}"#)
            let all = try AllChangesResponse(json: changes.body)
            #expect(all.lists.map(\.id) == [opened])
            #expect(all.unknown == [other])
            #expect(try await service.outcome("DELETE", Path.list(opened), token: token) == "403 permissionFailure")

            // The stream tells of the opened list, and of no other.
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(token)\r\n\r\n")
                _ = try await reader.read(until: "event: sync")
                _ = try await service.upload([.add("salt")], to: other, by: anna)
                _ = try await service.upload([.add("milk")], to: opened, by: anna)
                let said = try await reader.read(until: "\(opened)")
                #expect(!said.contains("\(other)"))
            }
        }
    }

    @Test(
        "a token shares no list and takes none over, also as it makes one, and proves the ownership of no list but its own"
    )
    func sharing() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let (opened, other) = (try await service.list(of: anna), try await service.list(of: anna))
            let token = try await service.personalToken(of: anna).token
            let secret = Secret().text
            let invitation = #"{"invitations":[{"secret":"\#(secret)"}]}"#
            for list in [other, .random()] {
                let shared = try await service.call(
                    "POST", Path.lists, token: token, json: #"{"id":"\#(list)","share":\#(invitation)}"#)
                #expect(try shared.outcome == "403 permissionFailure")
                let claimed = try await service.call(
                    "POST", Path.lists, token: token, json: #"{"id":"\#(list)","ownership":"x"}"#)
                #expect(try claimed.outcome == "403 permissionFailure")
            }
            #expect(try await service.outcome("GET", Path.invitations(other), token: anna.token) == "200")
            let made = try await service.call("POST", Path.lists, token: token, json: #"{"id":"\#(ListID.random())"}"#)
            #expect(made.status == 201)

            let one = try await service.personalToken(
                of: anna, #"{"name":"wall","lists":["\#(opened)"],"readOnly":true}"#
            ).token
            let changes = try await service.call(
                "POST", Path.changes, token: one, json: #"{"tokens":{},"ownership":true}"#)
            #expect(try AllChangesResponse(json: changes.body).ownership?.keys.sorted() == [opened])
        }
    }

    @Test("a token for one list gets its changes, however much there is on older lists that it doesn't open")
    func longLists() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let long = try await service.list(of: anna)
            for start in [1, 21] {
                _ = try await service.upload((start..<start + 20).map { .add("x", Int64($0)) }, to: long, by: anna)
            }
            let opened = try await service.list(of: anna)
            _ = try await service.upload([.add("milk", 1)], to: opened, by: anna)
            let token = try await service.personalToken(of: anna, #"{"name":"x","lists":["\#(opened)"]}"#).token
            let answer = try await service.call(
                "POST", Path.changes, token: token, json: #"{"tokens":{},"limit":10}"#)
            let all = try AllChangesResponse(json: answer.body)
            #expect(all.lists.map(\.id) == [opened] && all.lists.first?.page.changes.count == 1 && !all.moreComing)
        }
    }

    @Test("a token for lists of somebody else isn't made")
    func foreignLists() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let bens = try await service.list(of: ben)
            let refused = try await service.call(
                "POST", Path.tokens, token: anna.token, json: #"{"name":"x","lists":["\#(bens)"]}"#)
            #expect(try refused.outcome == "404 listNotFound")
            for bad in [
                #"{"name":""}"#, #"{"name":"x","lists":[]}"#, #"{"name":"x","expiresAt":"2020-01-01T00:00:00.000Z"}"#,
                #"{"name":"x","expiresAt":"2999-01-01T00:00:00.000Z"}"#, #"{}"#,
            ] {
                let answer = try await service.call("POST", Path.tokens, token: anna.token, json: bad)
                #expect(try answer.outcome == "400 invalidArguments", "\(bad)")
            }
        }
    }

    @Test("revoking refuses the token at once, and ends its open stream")
    func revoked() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let made = try await service.personalToken(of: anna)
            let token = try #require(made.token)
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(token)\r\n\r\n")
                _ = try await reader.read(until: "event: sync")
                #expect(try await service.outcome("DELETE", Path.token(made.id), token: ben.token) == "404 unknownItem")
                #expect(try await service.outcome("GET", Path.lists, token: token) == "200")
                #expect(try await service.outcome("DELETE", Path.token(made.id), token: anna.token) == "204")
                #expect(try await service.outcome("GET", Path.lists, token: token) == "401 notAuthenticated")
                _ = try await reader.readToEnd()
            }
            #expect(try await service.outcome("DELETE", Path.token(made.id), token: anna.token) == "204", "again")
            #expect(
                try await service.outcome("DELETE", Path.token(anna.device), token: anna.token) == "404 unknownItem")
        }
    }

    @Test("an expired token is refused, even one that was trusted a moment before, and its stream is ended")
    func expired() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let made = try await service.personalToken(of: anna)
            let token = try #require(made.token)
            _ = try await service.pool.withConnection { connection in
                try await connection.execute("UPDATE personal_token SET expires_at = now() + interval '1 second'")
            }
            try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(token)\r\n\r\n")
                _ = try await reader.read(until: "event: sync")
                try await eventually("the token's time is over") {
                    // So that its session stays cached.
                    _ = try await service.outcome("GET", Path.lists, token: token)
                    return try await !service.pool.withConnection { connection in
                        try await connection.execute("SELECT FROM personal_token WHERE expires_at < now()")
                    }.isEmpty
                }
                // The cached session ends with the token, not a minute later.
                #expect(try await service.outcome("GET", Path.lists, token: token) == "401 notAuthenticated")
                service.service.hub.signedOut(try await service.service.store.endExpiredTokens())
                _ = try await reader.readToEnd()
            }
            let tokens: PersonalTokensResponse = try await service.call("GET", Path.tokens, token: anna.token).decode()
            #expect(tokens.tokens.isEmpty)
        }
    }

    @Test("an account has at most 50 tokens, and they take no device's place")
    func limited() async throws {
        try await TestService.with(configure: { $0.quotas.devicesPerAccount = 2 }) { service in
            let anna = try await service.person("anna")
            for _ in 0..<50 { _ = try await service.personalToken(of: anna) }
            let more = try await service.call("POST", Path.tokens, token: anna.token, json: #"{"name":"x"}"#)
            #expect(try more.outcome == "413 quotaExceeded")
            _ = try await service.signIn(anna.email)
        }
    }
}

extension TestService {
    func personalToken(of person: Person, _ json: String = #"{"name":"a script"}"#) async throws
        -> PersonalTokenResponse
    {
        let answer = try await call("POST", Path.tokens, token: person.token, json: json)
        try #require(answer.status == 201)
        return try answer.decode()
    }
}

extension PersonalTokenResponse {
    /// The program that has the token, as a caller.
    func person(like person: Person) -> Person {
        Person(email: person.email, account: person.account, device: id, token: token ?? "")
    }
}
