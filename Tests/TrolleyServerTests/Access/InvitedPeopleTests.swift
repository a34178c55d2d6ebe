import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Invited people, as participants see them", .timeLimit(.minutes(20)))
struct InvitedPeopleTests {
    private static let paths: [@Sendable (ListID) -> String] = [
        Path.changes, { Path.changes($0) + "?limit=1000" }, Path.share, Path.activity, Path.state, Path.replay,
        Path.restoration,
        { _ in Path.export }, { _ in Path.diagnostics }, { _ in Path.diagnostics + "?withContent=true" },
    ]

    /// Anna's list: Ben is on it, Carol has left it, Dora declined, Erik's invitation was withdrawn, Flora is invited.
    private struct Scene {
        let service: TestService
        let anna: Person
        let ben: Person
        let list: ListID

        init(_ service: TestService) async throws {
            self.service = service
            (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            list = try await service.list(of: anna)
            _ = try await service.invite("quiet-flora@example.com", to: list, of: anna)
            try await service.add(ben, to: list, of: anna)
            let carol = try await service.person("carol")
            try await service.add(carol, to: list, of: anna)
            try await service.call("DELETE", Path.participant(carol.account, of: list), token: carol.token)
            let dora = try await service.person("quiet-dora")
            let secret = try await service.invite(dora.email, to: list, of: anna)
            #expect(try await service.open(Path.decline, secret, by: dora).status == 204)
            _ = try await service.invite("quiet-erik@example.com", to: list, of: anna)
            let open = try await service.call("GET", Path.invitations(list), token: anna.token)
            for invitation in try open.decode(InvitationsResponse.self).invitations
            where invitation.email == "quiet-erik@example.com" {
                try await service.call("DELETE", Path.invitation(invitation.id, to: list), token: anna.token)
            }
        }

        /// Everything that a person can read of the list.
        func everything(for person: Person) async throws -> [String] {
            var texts: [String] = []
            for path in InvitedPeopleTests.paths {
                let answer = try await service.call("GET", path(list), token: person.token)
                #expect(answer.status == 200)
                texts.append(answer.text)
            }
            texts.append(
                try await service.call("POST", Path.changes, token: person.token, json: #"{"tokens":{}}"#).text)
            return texts
        }
    }

    @Test("nothing that a participant can read names them or tells that invitations are open; the owner sees both")
    func reading() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            for text in try await scene.everything(for: scene.ben) {
                for word in ["quiet-", #""invited""#, #""declined""#, "invitationEnded", #""isLink""#] {
                    #expect(!text.contains(word), "\(word) in \(text)")
                }
            }
            let owners = try await scene.everything(for: scene.anna)
            #expect(owners.filter { $0.contains("quiet-flora") }.count == 7)
            let activity = try await service.call("GET", Path.activity(scene.list), token: scene.ben.token)
            let kinds = try ActivityPage(json: activity.body).activity.map { item -> ParticipantChange.Kind? in
                if case .participant(let change) = item.event { change.kind } else { nil }
            }
            #expect(kinds == [.left, .joined, .joined], "Carol left, and both came")
        }
    }

    @Test("states of one list in one answer of many, asked after the beginning, are shown by role as well")
    func grouped() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            let one = SequenceNumber(rawValue: 1)
            async let bens = service.service.store.changes(
                of: scene.list, for: scene.ben.account, after: one, limit: 100)
            async let annas = service.service.store.changes(
                of: scene.list, for: scene.anna.account, after: one, limit: 100)
            let (seenByBen, seenByAnna) = (try await bens, try await annas)
            #expect("\(try seenByAnna.changes)".contains("quiet-"))
            #expect(!"\(try seenByBen.changes)".contains("quiet-"))
            var (written, read) = (JSONWriter(), JSONWriter())
            try seenByBen.stored.write(0..<seenByBen.stored.count, to: &written)
            for change in try seenByBen.changes { change.write(to: &read) }
            #expect(written.bytes == read.bytes)
        }
    }

    @Test("a former owner sees only what a participant sees, also of earlier changes")
    func afterHandingOver() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            for _ in 1...2 {
                let answer = try await service.call(
                    "PUT", Path.owner(scene.list), token: scene.anna.token,
                    json: #"{"account":"\#(scene.ben.account)"}"#
                )
                #expect(answer.status == 200 && !answer.text.contains("quiet-"))
            }
            for text in try await scene.everything(for: scene.anna) { #expect(!text.contains("quiet-"), "\(text)") }
            for text in try await scene.everything(for: scene.ben).prefix(3) { #expect(text.contains("quiet-flora")) }
        }
    }

    @Test("a hosted device of a participant's keeps no such states")
    func hosted() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            let made = try await service.call(
                "POST", "/v1/hosted", token: scene.ben.token, json: #"{"name":"speaker","list":"\#(scene.list)"}"#)
            let device = try made.decode(HostedDeviceResponse.self).id
            let added = try await service.call(
                "POST", "/v1/hosted/\(device)/add", token: scene.ben.token, json: #"{"text":"milk"}"#)
            #expect(added.status == 200)
            let shares = try await service.pool.withConnection { connection in
                try await connection.execute(
                    "SELECT share::text FROM hosted_list WHERE device_id = \(device) AND share IS NOT NULL"
                ).map { try $0.decode(String.self, at: 0) }
            }
            #expect(shares.count == 1)
            for share in shares { #expect(share.contains("ben@") && !share.contains("quiet-")) }
        }
    }
}
