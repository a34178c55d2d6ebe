import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Export over HTTP")
struct ExportRouteTests {
    @Test("the answer is a whole file of one's own lists, however many there are")
    func whole() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            var lists: [ListID] = []
            for number in 1...12 {
                let list = try await service.list(of: anna)
                _ = try await service.upload([.add("item \(number)")], to: list, by: anna)
                lists.append(list)
            }
            _ = try await service.upload([.add("of Ben's")], to: try await service.list(of: ben), by: ben)
            let answer = try await service.call("GET", Path.export, token: anna.token)
            #expect(answer.status == 200 && answer.headers["content-disposition"]?.contains("attachment") == true)
            let document = try ImportDocument(json: answer.body)
            #expect(Set(document.lists.map(\.id)) == Set(lists))
            #expect(Set(document.lists.flatMap { $0.state.items.map(\.text) }) == Set((1...12).map { "item \($0)" }))
            #expect(answer.text.contains(#""email":"anna@example.com""#) && !answer.text.contains("Ben's"))
            #expect(try await service.call("GET", Path.export).outcome == "401 notAuthenticated")
        }
    }
}
