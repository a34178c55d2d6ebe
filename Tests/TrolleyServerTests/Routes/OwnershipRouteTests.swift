import Crypto
import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

/// A list that the database has lost still belongs to its owner, who has a proof, whichever device creates it first.
@Suite(.timeLimit(.minutes(20))) struct OwnershipRouteTests {
    @Test func `only its owner is told the proof of a list, and each time the same`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let proof = try #require(try await service.proof(of: list, for: anna))
            #expect(try await service.claim(list, by: anna).list?.ownership == proof)
            #expect(try await service.proof(of: list, for: ben) == nil)
            for (person, expected) in [(anna, [list: proof]), (ben, [:])] {
                let body = try JSONEncoder().encode(AllChangesRequest(tokens: [:], ownership: true))
                let answer = try await service.call("POST", Path.changes, token: person.token, body: Array(body))
                #expect(try AllChangesResponse(json: answer.body).ownership == expected)
            }
        }
    }

    @Test func `a participant who makes a lost list first is a participant again when its owner comes`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna, .readOnly)
            let proof = try await service.proof(of: list, for: anna)
            try await service.lose(list)

            #expect(try await service.claim(list, by: ben).outcome == "201")
            _ = try await service.upload([.add("Ben's")], to: list, by: ben)
            #expect(try await service.claim(list, by: anna).outcome == "409 serverRecordChanged", "without a proof")
            let people = [ListPerson(account: ben.account, permission: .readOnly)]
            let claimed = try await service.claim(list, by: anna, proof, people)
            #expect(claimed.outcome == "200" && claimed.list?.role == .owner)
            #expect(
                try await service.roles(on: list, for: anna) == ["anna owner readWrite", "ben participant readOnly"])
            #expect(try await service.claim(list, by: ben).outcome == "409 serverRecordChanged")
            #expect(try await service.claim(list, by: anna, proof).outcome == "200", "again")
            let activity = try await service.call("GET", Path.activity(list), token: anna.token)
            #expect(try ActivityPage(json: activity.body).activity.contains { $0.isBecomingOwner })
        }
    }

    @Test func `somebody who was not on a lost list is off it when its owner comes`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let proof = try await service.proof(of: list, for: anna)
            try await service.lose(list)
            #expect(try await service.claim(list, by: ben).outcome == "201")
            // Ben invites somebody, and keeps open invitations.
            let cleo = try await service.person("cleo")
            let used = try await service.invite(nil, to: list, of: ben)
            #expect(try await service.open(Path.accept, used, by: cleo).status == 200)
            let kept = [
                try await service.invite(nil, to: list, of: ben),
                try await service.invite(ben.email, to: list, of: ben),
                try await service.invite(cleo.email, to: list, of: ben),
            ]
            #expect(try await service.claim(list, by: anna, proof, []).outcome == "200")
            for person in [ben, cleo] {
                #expect(try await service.outcome("GET", Path.state(list), token: person.token) == "410 listDeleted")
                for secret in kept + [used] {
                    #expect(try await service.open(Path.accept, secret, by: person).outcome == "404 unknownItem")
                }
            }
            let open = try await service.call("GET", Path.invitations(list), token: anna.token)
            #expect(try open.decode(InvitationsResponse.self).invitations.isEmpty)
            #expect(try await service.roles(on: list, for: anna) == ["anna owner readWrite"])
        }
    }

    @Test(arguments: [false, true])
    func `a person who creates a lost list again has no claim to the lost list, nor has the list's next owner`(
        handsOver: Bool
    ) async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let proof = try await service.proof(of: list, for: anna)
            try await service.lose(list)
            // Ben's own proof is valid, but for the list that he created later.
            let bens = try #require(try await service.claim(list, by: ben).list?.ownership)
            #expect(try await service.claim(list, by: ben, bens).outcome == "200")
            if handsOver {
                let cleo = try await service.person("cleo")
                try await service.add(cleo, to: list, of: ben)
                try await service.handOver(list, from: ben, to: cleo)
            }
            let claimed = try await service.claim(list, by: anna, proof, [])
            #expect(claimed.outcome == "200" && claimed.list?.role == .owner)
            #expect(claimed.list?.ownership == proof, "it is the list that it was")
            #expect(try await service.claim(list, by: ben, bens).outcome == "410 listDeleted")
            #expect(try await service.roles(on: list, for: anna) == ["anna owner readWrite"])
        }
    }

    @Test func `a proof of the first version counts as of a list that was made when it came to its owner`() async throws
    {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let since = try #require(try await service.claim(list, by: anna).list?.ownedSince)
            try await service.lose(list)
            let bens = try await service.claim(list, by: ben).list?.ownership
            #expect(try await service.claim(list, by: ben, bens).outcome == "200")
            let payload =
                [1] + anna.account.bits.bytes
                + withUnsafeBytes(of: UInt64(bitPattern: since.milliseconds).bigEndian) { Array($0) }
            var code = service.service.tokenKey
            code.update(data: Array("trolley ownership".utf8) + payload + list.bits.bytes)
            let proof = Base64URL.encode(payload + Array(code.finalize().prefix(16)))
            #expect(try await service.claim(list, by: anna, proof, []).outcome == "200")
        }
    }

    @Test func `an owner who makes a lost list first keeps it`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let proof = try await service.proof(of: list, for: anna)
            try await service.lose(list)
            #expect(try await service.claim(list, by: anna, proof).outcome == "201")
            #expect(try await service.claim(list, by: ben).outcome == "409 serverRecordChanged")
            #expect(
                try await service.claim(list, by: ben, proof).outcome == "409 serverRecordChanged", "it is Anna's proof"
            )
        }
    }

    @Test func `the later of two owners gets the list`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let first = try await service.proof(of: list, for: anna)
            try await service.handOver(list, from: anna, to: ben)
            let second = try await service.proof(of: list, for: ben)
            #expect(try await service.claim(list, by: anna, first).outcome == "409 serverRecordChanged", "handed over")
            for order in [[anna, ben], [ben, anna]] {
                try await service.lose(list)
                for person in order {
                    _ = try await service.claim(list, by: person, person.account == anna.account ? first : second)
                }
                let owner = try await service.roles(on: list, for: ben).first
                #expect(owner == "ben owner readWrite")
            }
        }
    }

    @Test func `a proof that was given to an account that the database has lost is its successor's`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list: ListID = .random()
            func proof(for account: AccountID) -> String {
                let time = Timestamp(milliseconds: 1_000_000)
                return OwnershipProof(list: list, account: account, born: time, since: time)
                    .text(key: service.service.tokenKey)
            }
            #expect(try await service.claim(list, by: ben).outcome == "201")
            #expect(
                try await service.claim(list, by: anna, proof(for: ben.account)).outcome == "409 serverRecordChanged")
            #expect(try await service.claim(list, by: anna, proof(for: .random())).outcome == "200")
        }
    }

    @Test func `a proof of another service, or of another list, is none`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (list, other) = (try await service.list(of: anna), try await service.list(of: anna))
            let proof = try #require(try await service.proof(of: list, for: anna))
            let others = try await service.proof(of: other, for: anna)
            try await service.lose(list)
            #expect(try await service.claim(list, by: ben).outcome == "201")
            for wrong in [others, String(proof.dropLast(4) + "AAAA"), "nonsense", ""] {
                #expect(try await service.claim(list, by: anna, wrong).outcome == "409 serverRecordChanged")
            }
            #expect(try await service.claim(list, by: anna, proof).outcome == "200")
        }
    }

    @Test func `a device is told which of its lists this database has never known`() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (lost, theirs) = (try await service.list(of: anna), try await service.list(of: ben))
            let token = try await service.changes(lost, for: anna).token
            try await service.lose(lost)
            let body = try JSONEncoder().encode(AllChangesRequest(tokens: [:], afresh: [lost, theirs]))
            let answer = try AllChangesResponse(
                json: try await service.call("POST", Path.changes, token: anna.token, body: Array(body)).body)
            #expect(answer.expired == [lost], "nobody has it, so it can be made again")
            #expect(answer.gone == [theirs: .removed], "somebody else has this one")
            #expect(Set(answer.unknown) == [lost, theirs])
            #expect(try await service.allChanges([lost: token], for: anna).unknown == [lost])
        }
    }
}

extension ActivityItem {
    fileprivate var isBecomingOwner: Bool {
        if case .participant(let change) = event { change.kind == .becameOwner } else { false }
    }
}

extension TestService {
    /// Deletes a list, so that the database is like an older copy.
    fileprivate func lose(_ list: ListID) async throws {
        try await pool.withConnection { connection in
            for table in ["entry", "event", "member", "departure", "invitation"] {
                try await connection.execute("DELETE FROM \(unescaped: table) WHERE list_id = \(list)")
            }
            try await connection.execute("DELETE FROM list WHERE id = \(list)")
        }
    }

    fileprivate func proof(of list: ListID, for person: Person) async throws -> String? {
        let answer: ListsResponse = try await call("GET", Path.lists, token: person.token).decode()
        return answer.lists.first { $0.id == list }?.ownership
    }

    fileprivate func claim(
        _ list: ListID, by person: Person, _ proof: String? = nil, _ people: [ListPerson]? = nil
    ) async throws -> (outcome: String, list: ListResponse?) {
        let request = CreateListRequest(id: list, ownership: proof, people: people)
        let answer = try await call(
            "POST", Path.lists, token: person.token, body: Array(try JSONEncoder().encode(request)))
        return (try answer.outcome, answer.status < 300 ? try answer.decode() : nil)
    }

    fileprivate func handOver(_ list: ListID, from owner: Person, to person: Person) async throws {
        let answer = try await call(
            "PUT", Path.owner(list), token: owner.token, json: #"{"account":"\#(person.account)"}"#)
        try #require(answer.status == 200)
    }

    fileprivate func roles(on list: ListID, for person: Person) async throws -> [String] {
        let answer: ShareResponse = try await call("GET", Path.share(list), token: person.token).decode()
        return answer.share.participants.map { "\($0.name ?? "") \($0.role.rawValue) \($0.permission.rawValue)" }
    }
}
