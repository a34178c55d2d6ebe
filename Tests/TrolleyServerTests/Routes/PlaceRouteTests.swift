import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Places of lists over HTTP", .timeLimit(.minutes(20)))
struct PlaceRouteTests {
    @Test("what the body doesn't name stays, and the ranks at the ends are kept exactly")
    func parts() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            func change(_ json: String) async throws -> ListPlace {
                try await service.call("PATCH", Path.place(list), token: anna.token, body: Array(json.utf8)).decode()
            }
            #expect(try await change(#"{"pinned":true}"#) == ListPlace(pinned: true))
            #expect(try await change(#"{"archived":true,"pinned":null}"#) == ListPlace(pinned: true, archived: true))
            for rank in [ListPlace.ranks.lowerBound, ListPlace.ranks.upperBound] {
                #expect(try await change(#"{"rank":\#(rank)}"#) == ListPlace(pinned: true, archived: true, rank: rank))
            }
            #expect(try await change("{}").rank == ListPlace.ranks.upperBound)
        }
    }

    @Test(
        "a place that can't be is refused, and changes nothing",
        arguments: [
            #"{"rank":-9223372036854775808}"#, #"{"rank":9007199254740992}"#, #"{"rank":1e400}"#, #"{"rank":"1"}"#,
            #"{"rank":0.5}"#, #"{"pinned":1}"#, #"{"archived":"yes"}"#, "[]", "",
        ])
    func refused(json: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let answer = try await service.call("PATCH", Path.place(list), token: anna.token, body: Array(json.utf8))
            #expect(try answer.outcome == "400 invalidArguments")
            let lists: ListsResponse = try await service.call("GET", Path.lists, token: anna.token).decode()
            #expect(lists.lists.map(\.place) == [ListPlace()])
        }
    }
}
