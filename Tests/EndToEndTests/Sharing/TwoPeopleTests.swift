import FoundationEssentials
import Testing

/// The main use, with the real programs: HTTP, PostgreSQL, two homes.
@Suite(.timeLimit(.minutes(20))) struct TwoPeopleTests {
    private struct Shown: Decodable {
        struct Item: Decodable {
            let id: String
            let text: String
            let markedOff: Bool
        }
        let name: String
        let colour: String?
        let items: [Item]
    }

    @Test func `two people who edit the same list without a server end with byte-equal lists`() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            let groceries = (1...1000).map { "grocery \($0)" }

            let port = try await RunningService.run(dataDirectory: data) { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Weekly shop")
                try await alice("add", "-", input: groceries.joined(separator: "\n") + "\n")
                let invitation = try await alice("invite", "bob@example.com", "--json")
                let link = try #require(
                    JSONDecoder().decode([String: String?].self, from: Data(invitation.utf8))["link"] ?? nil)
                try await bob("sign-up", service.address, "--email", "bob@example.com", "--name", "Bob")
                try await bob("join", link)
                #expect(try await bob.show() == alice.show())
                return service.port
            }

            // Without the service, both devices continue, also with the same items.
            try await alice("off", "grocery 1")
            try await alice("edit", "grocery 2", "--text", "from Alice")
            try await alice("delete", "grocery 3")
            try await alice("move", "grocery 4", "--top")
            try await alice("add", "coffee", "--after", "grocery 5")
            try await bob("delete", "grocery 1")
            try await bob("edit", "grocery 2", "--text", "from Bob", "--quantity", "2")
            try await bob("edit", "grocery 3", "--note", "still wanted")
            try await bob("move", "grocery 4", "--after", "grocery 6")
            try await bob("add", "tea", "--after", "grocery 5")
            try await bob("rename", "Bob's shop")
            try await bob("recolour", "green")
            #expect(try await bob.show() != alice.show())

            try await RunningService.run(dataDirectory: data, port: port) { _ in
                for _ in 1...2 {
                    try await alice("sync")
                    try await bob("sync")
                }
            }
            let shown = try await alice.show()
            #expect(try await bob.show() == shown)
            let list = try JSONDecoder().decode(Shown.self, from: Data(shown.utf8))
            #expect(list.name == "Bob's shop")
            #expect(list.colour == "green")
            #expect(list.items.count == 1001)
            // Bob's deletion is later, so it wins. His edit brings the other item back.
            #expect(!list.items.contains { $0.text == "grocery 1" })
            #expect(list.items.contains { $0.text == "grocery 3" })
            #expect(list.items.contains { $0.text == "from Bob" })
            #expect(list.items.contains { $0.text == "coffee" } && list.items.contains { $0.text == "tea" })
        }
    }
}
