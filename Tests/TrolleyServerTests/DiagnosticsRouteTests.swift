import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Diagnostics over HTTP")
struct DiagnosticsRouteTests {
    @Test("a person sees how their own lists and devices stand, and nothing of anybody else's")
    func own() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (shared, foreign) = (try await service.list(of: anna), try await service.list(of: ben))
            try await service.add(ben, to: shared, of: anna)
            _ = try await service.upload([.add("quince")], to: shared, by: anna)
            _ = try await service.upload([.add("parsley")], to: foreign, by: ben)
            let plain = try await service.call("GET", Path.diagnostics, token: anna.token)
            #expect(plain.status == 200)
            #expect(try Dump(json: plain.body).lists.map(\.id) == [shared])
            #expect(plain.text.contains("\(anna.device)") && !plain.text.contains("\(ben.device)"))
            for text in ["quince", "parsley", "anna", "ben@", "operation\":{", "\(foreign)"] {
                #expect(!plain.text.contains(text), "\(text)")
            }
            let open = try await service.call("GET", Path.diagnostics + "?withContent=true", token: anna.token)
            #expect(open.text.contains("quince") && !open.text.contains("parsley"))
            let wrong = try await service.call("GET", Path.diagnostics + "?withContent=7", token: anna.token)
            #expect(try wrong.outcome == "400 invalidArguments")
            #expect(try await service.call("GET", Path.diagnostics).outcome == "401 notAuthenticated")
        }
    }
}
