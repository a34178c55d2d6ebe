import Testing
import TrolleyJournal
import TrolleyWire

@Suite(.timeLimit(.minutes(20))) struct PurchaseTests {
    private static let (entry, item) = (EntryID(UUIDBits(high: 0, low: 1)), ItemID(UUIDBits(high: 0, low: 2)))
    private static let time = Timestamp(milliseconds: 1_772_355_600_000)

    private var purchase: Purchase {
        var purchase = Purchase(entry: Self.entry, text: "milk", quantity: "2", aisle: "Dairy", at: Self.time)
        purchase.shop = "Lidl"
        purchase.item = Self.item
        purchase.author = AccountID(UUIDBits(high: 0, low: 3))
        purchase.number = 4
        purchase.batch = BatchID(UUIDBits(high: 0, low: 5))
        purchase.every = Recurrence(days: 7)
        purchase.added = Timestamp(milliseconds: 1_772_355_500_000)
        purchase.addedBy = AccountID(UUIDBits(high: 0, low: 6))
        return purchase
    }

    @Test func `a purchase in a file of an earlier version is read`() throws {
        let stored = #"""
            {"added":"2026-03-01T08:58:20.000Z","addedBy":"00000000-0000-0000-0000-000000000006","aisle":"Dairy",\#
            "author":"00000000-0000-0000-0000-000000000003","batch":"00000000-0000-0000-0000-000000000005",\#
            "every":"P7D","item":"00000000-0000-0000-0000-000000000002","number":"4","quantity":"2","shop":"Lidl",\#
            "text":"milk"}
            """#
        #expect(try Purchase(json: stored.utf8, entry: Self.entry, at: Self.time) == purchase)
        let first = try Purchase(json: #"{"text":"milk"}"#.utf8, entry: Self.entry, at: Self.time)
        #expect(first == Purchase(entry: Self.entry, text: "milk", at: Self.time))
    }

    @Test func `a purchase in a browser of an earlier version is read`() throws {
        let stored = #"""
            {"entry":"00000000-0000-0000-0000-000000000001","item":"00000000-0000-0000-0000-000000000002","text":"milk",\#
            "quantity":"2","aisle":"Dairy","every":"P7D","shop":"Lidl","at":"2026-03-01T09:00:00.000Z",\#
            "by":"00000000-0000-0000-0000-000000000003","number":4,"batch":"00000000-0000-0000-0000-000000000005",\#
            "added":"2026-03-01T08:58:20.000Z","addedBy":"00000000-0000-0000-0000-000000000006"}
            """#
        #expect(try JSONObject.read(stored.utf8) { Purchase($0) } == purchase)
    }

    @Test func `a purchase survives being stored in a file and in a browser`() throws {
        for purchase in [purchase, Purchase(entry: Self.entry, text: "milk", at: Self.time)] {
            #expect(try Purchase(json: purchase.json, entry: purchase.entry, at: purchase.at) == purchase)
            var writer = JSONWriter()
            purchase.write(to: &writer)
            #expect(try JSONObject.read(writer.bytes) { Purchase($0) } == purchase)
        }
    }
}
