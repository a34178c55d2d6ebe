import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("What an invitation shows of its list", .timeLimit(.minutes(20)))
struct InvitationPreviewTests {
    @Test("the first five wanted items, by aisle, without notes and without what is marked off or deleted")
    func items() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await test.invite(nil, to: list, of: alice)
            #expect(try await test.store.previewInvitation(secretHash: secret, for: nil).items == [])
            var after: ItemID?
            var number: Int64 = 0
            var entries: [JournalEntry] = []
            for (text, aisle) in [
                ("milk", "Dairy"), ("bread", nil), ("apples", "Produce"), ("butter", "Dairy"), ("pears", "Produce"),
                ("tape", nil), ("gone", "Produce"), ("bought", "Produce"),
            ] as [(String, String?)] {
                number += 1
                var fields: Fields = ["note": "secret"]
                fields["aisle"] = aisle.map { .string($0) }
                var entry = JournalEntry.add(text, number, fields: fields)
                entry.after = after
                after = entry.item
                entries.append(entry)
            }
            for (operation, entry) in [(Operation.delete, entries[6]), (.markOff, entries[7])] {
                number += 1
                entries.append(
                    JournalEntry(
                        id: .version7(at: .now, random: RandomBits.random), operation: operation, item: entry.item,
                        deviceSequence: number))
            }
            number += 1
            entries.append(
                JournalEntry(
                    id: .version7(at: .now, random: RandomBits.random), operation: .recolourList,
                    fields: ["aisles": "Produce\nDairy"], deviceSequence: number))
            try await test.upload(entries, to: list, by: alice)
            let preview = try await test.store.previewInvitation(secretHash: secret, for: nil)
            #expect(preview.items == ["apples", "pears", "milk", "butter", "bread"] && preview.wanted == 6)
        }
    }

    @Test("nothing of it to others: for another address, after it was used, and after it was withdrawn")
    func others() async throws {
        try await TestStore.with { test in
            let (alice, bob, carol) = (
                try await test.person("alice"), try await test.person("bob"), try await test.person("carol")
            )
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            let email = try await test.store.account(bob.account).email
            let named = try await test.invite(email, to: list, of: alice)
            let link = try await test.invite(nil, to: list, of: alice)
            #expect(try await test.store.previewInvitation(secretHash: named, for: bob.account).items == ["milk"])
            for account in [nil, carol.account] {
                await #expect(throws: StoreError.self) {
                    try await test.store.previewInvitation(secretHash: named, for: account)
                }
            }
            _ = try await test.store.acceptInvitation(secretHash: link, by: carol.account, limit: 100)
            for account in [nil, bob.account] {
                await #expect(throws: StoreError.self) {
                    try await test.store.previewInvitation(secretHash: link, for: account)
                }
            }
            let open = try await test.store.invitations(to: list, for: alice.account)
            for invitation in open { try await test.store.withdraw(invitation.id, to: list, by: alice.account) }
            await #expect(throws: StoreError.self) {
                try await test.store.previewInvitation(secretHash: named, for: bob.account)
            }
        }
    }

    @Test("of a list with very many entries it shows the name alone, so that a look costs little")
    func long() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let secret = try await test.invite(nil, to: list, of: alice)
            let entries = (1...Int64(EntrySQL.atATime)).map { JournalEntry.add("item \($0)", $0) }
            try await test.upload(Array(entries.prefix(400)), to: list, by: alice)
            try await test.upload(Array(entries.dropFirst(400)), to: list, by: alice)
            var preview = try await test.store.previewInvitation(secretHash: secret, for: nil)
            #expect(preview.items?.count == 5 && preview.wanted == EntrySQL.atATime)
            let name = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .renameList, fields: ["text": "Long"],
                deviceSequence: 1000)
            try await test.upload([name], to: list, by: alice)
            preview = try await test.store.previewInvitation(secretHash: secret, for: nil)
            #expect(preview.items == nil && preview.wanted == nil && preview.name == "Long")
        }
    }
}
