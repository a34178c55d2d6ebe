import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@Suite("Export and import", .timeLimit(.minutes(20)))
struct ImportTests {
    private func export(_ test: TestStore, _ account: AccountID) async throws -> ImportDocument {
        var json: [UInt8] = []
        let lists = try await test.store.lists(of: account).map(\.id)
        try await test.store.export(
            try await test.store.account(account), lists, at: Timestamp(milliseconds: 0)
        ) { json += $0 }
        return try ImportDocument(json: json)
    }

    private func shown(_ test: TestStore, _ list: ListID, _ account: AccountID) async throws -> [String] {
        let state = try await test.store.state(of: list, for: account).state
        return [state.name ?? ""] + state.items.map { ($0.markedOff ? "x " : "  ") + $0.text }
    }

    @Test("another account imports an export as its own lists; importing twice duplicates nothing")
    func twice() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            let milk = JournalEntry.add("milk", 2)
            let rename = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 1)), operation: .renameList,
                fields: ["text": "Weekly"], deviceSequence: 1)
            let off = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 2)), operation: .markOff, item: milk.item,
                deviceSequence: 4)
            try await test.upload([rename, milk, .add("bread", 3), off], to: list, by: anna)
            let empty = try await test.list(of: anna)
            let document = try await export(test, anna.account)
            #expect(document.lists.map(\.id) == [list, empty])

            let first = try await test.store.importLists(document, for: ben.account, limits: Limits())
            #expect(first.map(\.added) == [4, 0] && first.allSatisfy { $0.present == 0 && $0.refused == 0 })
            #expect(try await shown(test, first[0].list, ben.account) == ["Weekly", "  bread", "x milk"])
            let again = try await test.store.importLists(document, for: ben.account, limits: Limits())
            #expect(again.map(\.list) == first.map(\.list) && again.map(\.added) == [0, 0])
            #expect(again[0].present == 4)
            #expect(try await test.store.lists(of: ben.account).count == 2)

            // Later changes stay as they are.
            let copy = try await test.store.state(of: first[0].list, for: ben.account).state
            let gone = JournalEntry(
                id: .version7(at: .init(milliseconds: 2), random: (2, 2)), operation: .delete,
                item: copy.items[0].id, deviceSequence: 1)
            try await test.upload([gone], to: first[0].list, by: ben)
            _ = try await test.store.importLists(document, for: ben.account, limits: Limits())
            #expect(try await shown(test, first[0].list, ben.account) == ["Weekly", "x milk"])

            // A deleted copy comes back under another id, independent of the original.
            try await test.store.deleteList(first[0].list, by: ben.account)
            let third = try await test.store.importLists(document, for: ben.account, limits: Limits())
            #expect(third[0].list != first[0].list && third[1].list == first[1].list)
            #expect(try await shown(test, third[0].list, ben.account) == ["Weekly", "  bread", "x milk"])
            #expect(try await shown(test, list, anna.account) == ["Weekly", "  bread", "x milk"])
            // The device that the entries name can't be used, and isn't listed.
            #expect(try await test.store.devices(seenBy: ben).map(\.id) == [ben.device])
        }
    }

    @Test("an export has the whole history, including compressed entries, of the account's lists only")
    func whole() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let (list, _) = (try await test.list(of: anna), try await test.list(of: ben))
            let milk = JournalEntry.add("milk")
            let gone = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 2)), operation: .delete, item: milk.item,
                deviceSequence: 2)
            try await test.upload([milk, gone], to: list, by: anna)
            let now = try await test.store.now()
            _ = try await test.store.compress(list, olderThan: now.advanced(byMilliseconds: 60_000))
            var text = ""
            try await test.store.export(try await test.store.account(anna.account), [list], at: now) {
                text += String(decoding: $0, as: UTF8.self)
            }
            let (added, deleted) = (text.firstRange(of: "\(milk.id)"), text.firstRange(of: "\(gone.id)"))
            #expect(try #require(added).upperBound < #require(deleted).lowerBound)
            #expect(text.contains(#""items":[]"#))
            let whole = try await export(test, anna.account)
            #expect(whole.lists.map(\.id) == [list] && whole.lists[0].state.items.isEmpty)
            // Lists of other owners are left out.
            var bens = ""
            try await test.store.export(try await test.store.account(ben.account), [list], at: now) {
                bens += String(decoding: $0, as: UTF8.self)
            }
            #expect(bens.contains(#""lists":[],"complete":true"#))
        }
    }

    @Test("an export has the list's messages in its journal; an import brings those that were not deleted, once")
    func messages() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            let milk = JournalEntry.add("milk", 1)
            let message = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 5)), operation: .message, item: milk.item,
                fields: ["text": "the blue one"], deviceSequence: 2)
            let gone = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 6)), operation: .message,
                fields: ["text": "oops"], deviceSequence: 3)
            let deletion = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 7)), operation: .deleteMessage,
                fields: [Fields.message: .string(gone.id.description)], deviceSequence: 4)
            try await test.upload([milk, message, gone, deletion], to: list, by: anna)
            var text = ""
            try await test.store.export(
                try await test.store.account(anna.account), [list], at: Timestamp(milliseconds: 0)
            ) { text += String(decoding: $0, as: UTF8.self) }
            #expect(text.contains("the blue one") && text.contains(#""operation":"message""#))
            let document = try await export(test, anna.account)
            let imported = try await test.store.importLists(document, for: ben.account, limits: Limits())
            #expect(imported.map(\.added) == [2])
            let again = try await test.store.importLists(document, for: ben.account, limits: Limits())
            #expect(again.map(\.added) == [0] && again.map(\.present) == [2])
            #expect(try await shown(test, imported[0].list, ben.account) == ["", "  milk"])
            let copied = try await test.store.messages(
                of: imported[0].list, for: ben.account, at: .before(nil), limit: 50)
            #expect(copied.messages.map(\.text) == ["the blue one"] && copied.total == 1)
            #expect(copied.messages.map(\.author) == [ben.account] && copied.messages.map(\.origin?.name) == ["anna"])
            let items = try await test.store.state(of: imported[0].list, for: ben.account).state.items
            #expect(copied.messages.map(\.item) == items.map(\.id))
        }
    }

    @Test("fields that this version doesn't know come along, as they were")
    func unknownFields() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            let fields: Fields = [
                "barcode": "4006381333931", "price": .json(#"{"amount":129,"currency":"EUR"}"#), "quantity": "2 l",
            ]
            // One with few fields, and one with more fields than fit in one entry.
            var many = fields
            for number in 1...12 { many["extra\(number)"] = .string(String(repeating: "x", count: 100)) }
            let rest = JournalEntry(
                id: .version7(at: .init(milliseconds: 1), random: (1, 3)), operation: .edit,
                item: .version7(at: .init(milliseconds: 1), random: (1, 4)), fields: many, deviceSequence: 3)
            var tea = JournalEntry.add("tea", 2)
            tea.item = rest.item
            try await test.upload([.add("milk", 1, fields: fields), tea, rest], to: list, by: anna)
            let document = try await export(test, anna.account)
            let copies = try await test.store.importLists(document, for: ben.account, limits: Limits())
            let original = try await test.store.state(of: list, for: anna.account).state
            let copy = try await test.store.state(of: copies[0].list, for: ben.account).state
            #expect(copy.items.map(\.fields) == original.items.map(\.fields))
            #expect(copy.items.map(\.fields.count).sorted() == [4, 16])
        }
    }

    @Test("a long list comes in as many uploads as it takes")
    func long() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let items = (1...950).map { number in
                Item(id: ItemID(UUIDBits(high: 1, low: UInt64(number))), fields: ["text": .string("\(number)")])
            }
            var json = Export.opening(
                account: try await test.store.account(anna.account), at: Timestamp(milliseconds: 0))
            let source = ListID(UUIDBits(high: 5, low: 5))
            let state = ListState(name: "Long", items: items)
            json +=
                ExportedList(
                    list: ListResponse(
                        id: source, role: .owner, permission: .readWrite, head: .start,
                        createdAt: Timestamp(milliseconds: 0)),
                    state: StateResponse(
                        id: source, state: state, sequence: .start, digest: state.digest.description),
                    share: ShareState(), journal: []
                ).json
            json += Export.closing
            let imported = try await test.store.importLists(
                try ImportDocument(json: json), for: anna.account, limits: Limits())
            #expect(imported.map(\.added) == [951])
            let copied = try await test.store.state(of: imported[0].list, for: anna.account).state
            #expect(copied.items.map(\.text) == items.map(\.text))
        }
    }
}
