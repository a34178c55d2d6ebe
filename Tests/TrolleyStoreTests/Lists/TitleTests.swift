import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("A list's name in its row", .timeLimit(.minutes(20)))
struct TitleTests {
    private static func entry(_ operation: Operation, _ fields: Fields, _ number: Int64) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: operation, fields: fields,
            deviceSequence: number)
    }

    private func look(_ secret: [UInt8], in test: TestStore) async throws -> Title {
        let preview = try await test.store.previewInvitation(secretHash: secret, for: nil)
        return Title(name: preview.name, colour: preview.colour)
    }

    @Test("an invitation shows the name that the fold has, whatever was appended in whatever order")
    func same() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await test.invite(nil, to: list, of: alice)
            #expect(try await look(secret, in: test) == Title())
            // Each upload: its entries and their age in milliseconds.
            let uploads: [([JournalEntry], Int64)] = [
                ([Self.entry(.renameList, ["text": "Weekly"], 1), .add("milk", 2)], 0),
                // Made before the first one.
                (
                    [Self.entry(.renameList, ["text": "Old"], 3), Self.entry(.recolourList, ["colour": "red"], 4)],
                    60_000
                ),
                ([Self.entry(.renameList, ["text": "a"], 5), Self.entry(.renameList, ["name": "b\u{0}\"é"], 6)], 0),
                // Without a value that can be a name.
                ([Self.entry(.renameList, ["text": .json("7")], 7), Self.entry(.recolourList, ["aisles": "x"], 8)], 0),
                ([Self.entry(.recolourList, ["text": "blue"], 9)], 90_000),
                ([Self.entry(.recolourList, ["text": .null], 10), .add("bread", 11)], 0),
                ([Self.entry(.renameList, ["text": .null], 12)], 0),
            ]
            for (entries, age) in uploads {
                try await test.upload(entries, to: list, by: alice, age: age)
                let state = ListState(folding: try await test.entries(list, seenBy: alice))
                #expect(try await look(secret, in: test) == Title(name: state.name, colour: state.colour))
            }
        }
    }

    @Test("a look needs no entries for the name")
    func noEntries() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await test.invite(nil, to: list, of: alice)
            try await test.upload([Self.entry(.renameList, ["text": "Weekly"], 1)], to: list, by: alice)
            #expect(try await look(secret, in: test) == Title(name: "Weekly"))
            try await test.run("UPDATE list SET name = '{\"text\": \"of the row\"}'")
            #expect(try await look(secret, in: test) == Title(name: "of the row"))
        }
    }

    @Test("a list from before its row had a name is read once, two entries of it")
    func older() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await test.invite(nil, to: list, of: alice)
            for start in stride(from: 0, to: 900, by: 300) {
                let renames = (start..<start + 300).map {
                    Self.entry(.renameList, ["text": .string("name \($0)")], Int64($0 + 1))
                }
                try await test.upload(renames, to: list, by: alice)
            }
            try await test.upload([Self.entry(.recolourList, ["text": "red"], 901)], to: list, by: alice, age: 5000)
            try await test.upload([Self.entry(.renameList, ["text": .json("{}")], 902)], to: list, by: alice)
            try await test.run(
                """
                UPDATE list
                SET title_known = false, name = NULL, name_made_at = NULL, name_sequence = NULL, colour = NULL,
                    colour_made_at = NULL, colour_sequence = NULL
                """)
            // A later change, before somebody looks.
            try await test.upload([Self.entry(.recolourList, ["text": "blue"], 903)], to: list, by: alice)
            let state = ListState(folding: try await test.entries(list, seenBy: alice))
            for statement in [TitleSQL.decidingName, TitleSQL.decidingColour] {
                let rows = try await test.pool.withConnection { try await $0.execute(statement, [list]) }
                #expect(rows.count == 1)
            }
            #expect(try await look(secret, in: test) == Title(name: state.name, colour: state.colour))
            #expect(state.name == "name 899" && state.colour == "blue")
            try await test.run("UPDATE list SET colour = '{\"text\": \"of the row\"}'")
            #expect(try await look(secret, in: test) == Title(name: state.name, colour: "of the row"))
        }
    }
}
