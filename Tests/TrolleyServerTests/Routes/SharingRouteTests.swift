import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Sharing over HTTP", .timeLimit(.minutes(20)))
struct SharingRouteTests {
    static let secret = String(repeating: "A", count: 43)

    @Test("a list is made with its share in one request, which can be sent again")
    func atomicShare() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let id = ListID.random()
            let json = """
                {"id":"\(id)","share":{"invitations":[
                  {"email":"ben@example.com","secret":"\(Self.secret)","permission":"readOnly"}]}}
                """
            for status in [201, 200] {
                let answer = try await service.call("POST", Path.lists, token: anna.token, json: json)
                #expect(answer.status == status)
                let made: CreateListResponse = try answer.decode()
                #expect(made.list.id == id && made.invitations?.map(\.secret) == [Self.secret])
                #expect(made.invitations?[0].permission == .readOnly && made.invitations?[0].expiresAt == nil)
            }
            let other = json.replacing(Self.secret, with: "B" + Self.secret.dropFirst())
            #expect(
                try await service.call("POST", Path.lists, token: anna.token, json: other).outcome
                    == "409 alreadyShared")
            #expect(
                try await service.call("POST", Path.lists, token: ben.token, json: json).outcome
                    == "409 serverRecordChanged")
            #expect(try await service.open(Path.accept, Self.secret, by: ben).status == 200)
            #expect(try await service.changes(id, for: ben).sequences == [1, 2])
        }
    }

    @Test("the owner sees open invitations without their secrets, withdraws one, and it opens nothing")
    func withdrawing() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let secret = try await service.invite(ben.email, to: list, of: anna)
            _ = try await service.invite(nil, to: list, of: anna)
            let answer = try await service.call("GET", Path.invitations(list), token: anna.token)
            let open = try answer.decode(InvitationsResponse.self).invitations
            #expect(open.map(\.email) == [ben.email, nil] && !answer.text.contains(secret))
            #expect(open[0].expiresAt == nil && open[1].expiresAt != nil, "a link ends by itself")
            for _ in 1...2 {
                let path = Path.invitation(open[0].id, to: list)
                #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            }
            #expect(
                try await service.open(Path.previewInvitation, secret, by: ben).outcome == "404 unknownItem")
            let unknown = Path.invitation(InvitationID.random(), to: list)
            #expect(try await service.call("DELETE", unknown, token: anna.token).outcome == "404 unknownItem")
        }
    }

    @Test("who has no account sees what a link offers until it is used, and nothing of what is for one address")
    func lookingWithoutAccount() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let rename = JournalEntry(
                id: .random(), operation: .renameList, fields: ["text": "Weekly shop"], deviceSequence: 1)
            _ = try await service.upload([rename], to: list, by: anna)
            func look(_ secret: String) async throws -> Answer {
                try await service.open(
                    Path.previewInvitation, secret, by: nil, headers: ["x-request-id": "same"])
            }
            let nothing = try await look("x")
            #expect(try nothing.outcome == "404 unknownItem")

            let link = try await service.invite(nil, to: list, of: anna, .readOnly)
            let seen: InvitationPreview = try await look(link).decode()
            #expect(
                seen
                    == InvitationPreview(
                        list: list, name: "Weekly shop", colour: nil, owner: "anna", permission: .readOnly,
                        accepted: false, items: [], wanted: 0))

            let ben = try await service.person("ben")
            #expect(try await service.open(Path.accept, link, by: ben).status == 200)
            let named = try await service.invite("dan@example.com", to: list, of: anna)
            let withdrawn = try await service.invite(nil, to: list, of: anna)
            let open: InvitationsResponse = try await service.call(
                "GET", Path.invitations(list), token: anna.token
            ).decode()
            for invitation in open.invitations where invitation.email == nil {
                let path = Path.invitation(invitation.id, to: list)
                #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            }
            for secret in [link, named, withdrawn] { #expect(try await look(secret).body == nothing.body) }
            // A session that has ended is told so.
            let ended = try await service.call(
                "POST", Path.previewInvitation, token: "ended", json: #"{"secret":"\#(named)"}"#)
            #expect(try ended.outcome == "401 notAuthenticated")
        }
    }

    @Test("a list is handed over, and a participant may only look from now on")
    func ownership() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            for _ in 1...2 {
                let answer = try await service.call(
                    "PUT", Path.owner(list), token: anna.token, json: #"{"account":"\#(ben.account)"}"#)
                let share = try answer.decode(ShareResponse.self).share
                #expect(share.participants.map(\.role) == [.owner, .participant])
            }
            let path = Path.participant(anna.account, of: list)
            let answer = try await service.call("PATCH", path, token: ben.token, json: #"{"permission":"readOnly"}"#)
            #expect(
                try answer.decode(ShareResponse.self).share.participants.map(\.permission) == [.readWrite, .readOnly])
        }
    }

    @Test("a declined invitation can't be used again")
    func declining() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let secret = try await service.invite(ben.email, to: list, of: anna)
            for _ in 1...2 {
                #expect(try await service.open(Path.decline, secret, by: ben).status == 204)
            }
            #expect(
                try await service.open(Path.accept, secret, by: ben).outcome == "404 unknownItem")
        }
    }

    @Test(
        "what is asked for wrongly is refused, and nothing is made",
        arguments: [
            #"{"secret":"short"}"#, #"{"secret":"\#(String(repeating: "!", count: 43))"}"#, #"{"expiresIn":0}"#,
            #"{"expiresIn":-1}"#, #"{"expiresIn":9223372036854775807}"#, #"{"email":"nobody"}"#,
            #"{"permission":"all"}"#, "[]", "",
        ])
    func refused(json: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let calls = [
                ("POST", Path.invitations(list), json),
                ("POST", Path.lists, #"{"id":"\#(ListID.random())","share":{"invitations":[\#(json)]}}"#),
                ("PATCH", Path.participant(anna.account, of: list), json.replacing("secret", with: "x")),
                ("PUT", Path.owner(list), json), ("PUT", Path.read(list), json),
            ]
            for (method, path, json) in calls where json != #"{"id":"","share":{"invitations":[]}}"# {
                let answer = try await service.call(method, path, token: anna.token, json: json)
                // A request without invitations isn't refused.
                if method == "POST", path == Path.lists, json.hasSuffix("[]}}") { continue }
                #expect(try answer.outcome == "400 invalidArguments", "\(method) \(path) \(json)")
            }
            let open = try await service.call("GET", Path.invitations(list), token: anna.token)
            #expect(try open.decode(InvitationsResponse.self).invitations.isEmpty)
        }
    }

    @Test("a wrong password deletes no account; of a deleted one the devices are out, and the address is free")
    func deletingAccount() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let desk = try await service.signIn(anna.email)
            let wrong = try await service.call(
                "DELETE", Path.account, token: anna.token, json: #"{"password":"wrong horse"}"#)
            #expect(try wrong.outcome == "403 permissionFailure")
            let right = #"{"password":"\#(TestService.password)"}"#
            #expect(try await service.call("DELETE", Path.account, token: anna.token, json: right).status == 204)
            for token in [anna.token, desk.token] {
                let answer = try await service.call("DELETE", Path.account, token: token, json: right)
                #expect(try answer.outcome == "401 notAuthenticated")
            }
            _ = try await service.person("anna")
        }
    }
}
