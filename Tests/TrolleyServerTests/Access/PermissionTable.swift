import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// The kinds of callers, in the order of their calls, because a later caller may change the answers for the others.
enum Caller: String, CaseIterable {
    case nobody, stranger, removed, readOnly, participant, owner
}

/// All routes, and the status that each kind of person gets from them.
///
/// To add a route, add one line with one of the shapes below. In paths and bodies, `{list}` is the list,
/// `{participant}` the participant's account, `{account}` and `{device}` the caller's own, `{email}` an unused address,
/// `{id}` a new id, `{secret}` and `{invitation}` an open one-time link to the list, `{hosted}` a hosted device of the
/// owner. Milk is on the list.
enum PermissionTable {
    static let rows: [String: Row] = [
        "GET /v1/config": .open(200),
        "GET /healthz": .open(200),
        "GET /readyz": .open(200),
        "GET /openapi.yaml": .open(200),
        "GET /join": .open(200),
        "GET /join.css": .open(200),
        "GET /join.js": .open(200),
        // The metrics may be read from this machine, where the test runs.
        "GET /metrics": .open(200),
        "POST /v1/accounts": .open(201, #"{"email":"{email}","name":"x","password":"12345678"}"#),
        "POST /v1/sessions": .open(201, #"{"email":"owner@example.com","password":"\#(TestService.password)"}"#),

        // This service has no identity provider.
        "GET /v1/identity/sign-in": .open(400),
        "GET /v1/identity/callback": .open(400),

        "DELETE /v1/session": .signedIn(204),
        "GET /v1/account": .signedIn(200),
        "PATCH /v1/account": .signedIn(200, #"{"colour":"teal"}"#),
        "DELETE /v1/account": .signedIn(204, #"{"password":"\#(TestService.password)"}"#),
        // Without a code the request is refused, signed in or not.
        "POST /v1/password": .open(403, #"{"email":"{email}","code":"0000","newPassword":"12345678"}"#),
        // This service sends no mail.
        "POST /v1/email-codes": .open(400, #"{"email":"{email}"}"#),
        "PUT /v1/account/email": .signedIn(
            403, #"{"email":"{email}","code":"0000","password":"\#(TestService.password)"}"#),
        "PUT /v1/account/password": .signedIn(
            200, #"{"password":"\#(TestService.password)","newPassword":"\#(TestService.password)"}"#),
        "GET /v1/devices": .signedIn(200),
        "DELETE /v1/devices/{device}": .signedIn(204),
        "GET /v1/lists": .signedIn(200),
        "POST /v1/lists": .signedIn(201, #"{"id":"{id}"}"#),
        "POST /v1/changes": .signedIn(200, #"{"tokens":{}}"#),
        "GET /v1/events": .signedIn(200),
        // No upgrade: which rooms there are is asked of nobody before.
        "GET /v1/socket": .signedIn(426),
        "GET /rooms/{id}/socket": .signedIn(426),
        "GET /v1/summaries": .signedIn(200),
        "GET /v1/push/key": .signedIn(200),
        // The browser's keys are invalid.
        "PUT /v1/push/subscription": .signedIn(
            400, #"{"endpoint":"https://push.example.net/","keys":{"p256dh":"","auth":""}}"#),
        "DELETE /v1/push/subscription": .signedIn(204),
        "GET /v1/webhooks": .signedIn(200),
        "POST /v1/webhooks": .signedIn(201, #"{"url":"https://hooks.example.com/"}"#),
        // There is none.
        "DELETE /v1/webhooks/{id}": .signedIn(404),
        "GET /v1/tokens": .signedIn(200),
        "POST /v1/tokens": .signedIn(201, #"{"name":"a script"}"#),
        "DELETE /v1/tokens/{id}": .signedIn(404),
        // For personal tokens alone.
        "POST /mcp": .signedIn(401, #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        "GET /v1/diagnostics": .signedIn(200),
        // Nobody here is an operator.
        "GET /v1/operator": .signedIn(403),
        "GET /v1/operator/diagnostics": .signedIn(403),
        "GET /v1/export": .signedIn(200),
        "POST /v1/invitations/look": .open(200, #"{"secret":"{secret}"}"#),
        "POST /v1/invitations/accept": .signedIn(200, #"{"secret":"{secret}"}"#),
        "POST /v1/invitations/decline":
            Row(
                owner: 400, participant: 400, readOnly: 400, removed: 204, stranger: 204, nobody: 401,
                #"{"secret":"{secret}"}"#),
        "GET /v1/invitations/{secret}": .signedIn(200),
        "POST /v1/invitations/{secret}/accept": .signedIn(200),
        "POST /v1/invitations/{secret}/decline":
            Row(owner: 400, participant: 400, readOnly: 400, removed: 204, stranger: 204, nobody: 401),

        "GET /v1/lists/{list}/state": .reading(200),
        "GET /v1/lists/{list}/changes": .reading(200),
        "GET /v1/lists/{list}/activity": .reading(200),
        "GET /v1/lists/{list}/replay": .reading(200),
        "GET /v1/lists/{list}/restoration": .reading(200),
        "GET /v1/lists/{list}/share": .reading(200),
        "PUT /v1/lists/{list}/presence": .reading(200, "{}"),
        "PATCH /v1/lists/{list}/place": .reading(200, #"{"pinned":true}"#),
        "PUT /v1/lists/{list}/read": .reading(200, #"{"through":1}"#),
        "GET /v1/lists/{list}/hails": .reading(200),
        "POST /v1/lists/{list}/hails": .reading(200, #"{"room":"{id}","key":"\#(key)","hails":[]}"#),
        // There is none.
        "DELETE /v1/lists/{list}/hails/{id}": .reading(404),
        "GET /v1/lists/{list}/notifications": .reading(200),
        "PUT /v1/lists/{list}/notifications": .reading(200, #"{"level":"all"}"#),
        "GET /v1/lists/{list}/messages": .reading(200),
        "GET /v1/lists/{list}/messages/deleted": .reading(200),
        "POST /v1/lists/{list}/messages/read": .reading(200, #"{"messages":[]}"#),
        "POST /v1/lists/{list}/entries": .changing(200, #"{"entries":[]}"#),

        "GET /v1/lists/{list}/invitations": .owning(200),
        "POST /v1/lists/{list}/invitations": .owning(201, #"{"email":"{email}"}"#),
        "DELETE /v1/lists/{list}/invitations/{invitation}": .owning(204),
        "PATCH /v1/lists/{list}/participants/{participant}": .owning(200, #"{"permission":"readOnly"}"#),
        "PUT /v1/lists/{list}/owner": .owning(200, #"{"account":"{participant}"}"#),
        "DELETE /v1/lists/{list}/share": .owning(204),
        "GET /v1/hosted": .signedIn(200),
        "POST /v1/hosted": .signedIn(201, #"{"name":"speaker"}"#),
        "DELETE /v1/hosted/{hosted}": .owners(204),
        "POST /v1/hosted/{hosted}/add": .owners(200, #"{"text":"bread"}"#),
        "POST /v1/hosted/{hosted}/edit": .owners(200, #"{"text":"milk","fields":{"note":"cold"}}"#),
        "POST /v1/hosted/{hosted}/off": .owners(200, #"{"text":"milk"}"#),
        "POST /v1/hosted/{hosted}/unmark": .owners(200, #"{"text":"milk"}"#),
        "POST /v1/hosted/{hosted}/delete": .owners(200, #"{"text":"milk"}"#),
        "GET /v1/hosted/{hosted}/list": .owners(200),
        "GET /v1/hosted/{hosted}/queue": .owners(200),
        "GET /v1/hosted/{hosted}/to-apply": .owners(200),
        "POST /v1/hosted/{hosted}/acknowledge": .owners(200, #"{"entries":[]}"#),
        "DELETE /v1/hosted/{hosted}/rejected": .owners(204),

        // The owner deletes it, a participant leaves it, and leaving again isn't an error.
        "DELETE /v1/lists/{list}":
            Row(owner: 204, participant: 204, readOnly: 204, removed: 204, stranger: 404, nobody: 401),
        "DELETE /v1/lists/{list}/participants/{account}":
            Row(owner: 400, participant: 204, readOnly: 204, removed: 204, stranger: 404, nobody: 401),
    ]

    /// 32 bytes in base64url.
    private static let key = String(repeating: "A", count: 43)

    struct Row {
        let statuses: [Caller: Int]
        let body: String?

        init(
            owner: Int, participant: Int, readOnly: Int, removed: Int, stranger: Int, nobody: Int,
            _ body: String? = nil
        ) {
            statuses = [
                .owner: owner, .participant: participant, .readOnly: readOnly, .removed: removed, .stranger: stranger,
                .nobody: nobody,
            ]
            self.body = body
        }

        var isOpen: Bool { statuses[.nobody] != 401 }

        /// For everybody, signed in or not.
        static func open(_ status: Int, _ body: String? = nil) -> Row {
            Row(
                owner: status, participant: status, readOnly: status, removed: status, stranger: status,
                nobody: status, body)
        }

        /// For every signed-in person.
        static func signedIn(_ status: Int, _ body: String? = nil) -> Row {
            Row(
                owner: status, participant: status, readOnly: status, removed: status, stranger: status, nobody: 401,
                body)
        }

        /// For everybody on the list.
        static func reading(_ status: Int, _ body: String? = nil) -> Row {
            Row(
                owner: status, participant: status, readOnly: status, removed: 410, stranger: 404, nobody: 401, body)
        }

        /// For everybody who may change the list.
        static func changing(_ status: Int, _ body: String? = nil) -> Row {
            Row(owner: status, participant: status, readOnly: 403, removed: 410, stranger: 404, nobody: 401, body)
        }

        /// For the person to whom it belongs: here the owner, and no other participant.
        static func owners(_ status: Int, _ body: String? = nil) -> Row {
            Row(owner: status, participant: 404, readOnly: 404, removed: 404, stranger: 404, nobody: 401, body)
        }

        /// For the list's owner.
        static func owning(_ status: Int, _ body: String? = nil) -> Row {
            Row(owner: status, participant: 403, readOnly: 403, removed: 410, stranger: 404, nobody: 401, body)
        }
    }

    /// The row of a route. Where the router has `{account}`, the table may say whose account it is.
    static func row(of route: Route) -> (pattern: String, row: Row)? {
        for (call, row) in rows {
            let pattern = String(call.drop { $0 != " " }.dropFirst())
            let isSame =
                call.hasPrefix(route.method + " ")
                && pattern.replacing("{participant}", with: "{account}").replacing("{hosted}", with: "{device}")
                    .replacing("/rooms/{id}", with: "/rooms/{room}").replacing("/hails/{id}", with: "/hails/{hail}")
                    .replacing("/webhooks/{id}", with: "/webhooks/{webhook}")
                    .replacing("/tokens/{id}", with: "/tokens/{token}")
                    == route.pattern
            if isSame { return (pattern, row) }
        }
        return nil
    }

    static func filled(_ text: String, _ values: [String: String]) -> String {
        values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}

/// A list, and one person of each kind.
struct Cast {
    let service: TestService
    let list: ListID
    let people: [Caller: Person]

    init(_ service: TestService) async throws {
        self.service = service
        var people: [Caller: Person] = [:]
        for caller in Caller.allCases where caller != .nobody {
            people[caller] = try await service.person(caller.rawValue)
        }
        let owner = try #require(people[.owner])
        list = try await service.list(of: owner)
        for (caller, permission) in [
            (Caller.participant, Permission.readWrite), (.readOnly, .readOnly), (.removed, .readWrite),
        ] {
            try await service.add(try #require(people[caller]), to: list, of: owner, permission)
        }
        let removed = Path.participant(try #require(people[.removed]).account, of: list)
        try await service.call("DELETE", removed, token: owner.token)
        _ = try await service.upload([.add("milk")], to: list, by: owner)
        self.people = people
    }

    /// The values of the table's placeholders.
    func values(for caller: Caller, in pattern: String) async throws -> [String: String] {
        let owner = try #require(people[.owner])
        let link = try await service.call("POST", Path.invitations(list), token: owner.token, json: "{}")
        let person = people[caller] ?? owner
        var values = [
            "list": "\(list)", "participant": "\(try #require(people[.participant]).account)",
            "account": "\(person.account)", "device": "\(person.device)", "email": "\(caller)-2@example.com",
            "id": "\(ListID.random())",
        ]
        // A deleted list has none.
        if link.status == 201 {
            let invitation: InvitationResponse = try link.decode()
            values["secret"] = invitation.secret
            values["invitation"] = invitation.id?.description
        }
        if pattern.contains("{hosted}") {
            let made = try await service.call(
                "POST", "/v1/hosted", token: owner.token, json: #"{"name":"speaker","list":"\#(list)"}"#)
            values["hosted"] = try made.decode(HostedDeviceResponse.self).id.description
        }
        return values
    }
}
