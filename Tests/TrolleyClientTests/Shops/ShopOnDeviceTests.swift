import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@testable import TrolleyClient

/// Shops on a device, and several lists that are shopped as one.
@Suite(.timeLimit(.minutes(20))) struct ShopOnDeviceTests {
    let directory = TemporaryDirectory()
    let clock = TestClock()

    private func device() throws -> Device { try Device(directory: directory.path, clock: { [clock] in clock.now }) }

    private func item(_ text: String, of list: ShoppingList) async throws -> Item {
        try #require(try await list.state().items.first { $0.text == text })
    }

    @Test func `shopping in a shop shows its order, puts what is bought elsewhere last, and survives a restart`()
        async throws
    {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\nbread\nnails")
        try await list.perform([
            .edit(await item("milk", of: list).id, ["aisle": "Dairy"]),
            .edit(await item("bread", of: list).id, ["aisle": "Bakery"]),
            .edit(await item("nails", of: list).id, ["shop": "Hardware", "aisle": .null]),
            .orderAisles(["Dairy", "Bakery"]),
        ])
        #expect(try await list.setShop("Corner", aisles: ["Bakery", "Dairy"]))
        #expect(try await !list.setShop("CORNER"), "it is there")
        try await list.setShopping(true)
        #expect(try await list.shownRows().map(\.item.text) == ["milk", "bread", "nails"])
        #expect(try await list.shop() == nil)

        try await list.setShopping(true, at: "corner ")
        #expect(try await list.shop() == "Corner", "spelled as the list does")
        #expect(try await list.shownRows().map(\.item.text) == ["bread", "milk", "nails"])
        #expect(try await list.shownRows().map(\.isElsewhere) == [false, false, true])
        await device.close()

        let again = try self.device()
        let same = again.list(list.id)
        #expect(try await same.shop() == "Corner")
        #expect(try await same.shownRows().last?.isElsewhere == true)
        let own = try await again.store.write { [clock] transaction in
            try transaction.rekey(try transaction.list(list.id), at: clock.now.wall)
        }
        #expect(try await again.list(own).shop() == "Corner", "under another id, too")
        try await again.list(own).setShopping(false)
        #expect(try await again.list(own).shop() == nil)
        try await again.list(own).setShopping(true, at: " ")
        #expect(try await again.list(own).shop() == nil)
        await again.close()
    }

    @Test func `a mark says in which shop it was made, and teaches that shop's order alone`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\nbread\njam")
        for item in try await list.state().items { try await list.edit(item.id, ["aisle": .null]) }
        func walk(_ texts: [String], at shop: String) async throws {
            try await list.setShopping(true, at: shop)
            for text in texts {
                clock.pass(60_000)
                try await list.markOff(item(text, of: list).id)
            }
            try await list.setShopping(false)
            clock.pass(Trip.maxPause)
            for text in texts { try await list.unmark(item(text, of: list).id) }
        }
        try await walk(["jam", "milk", "bread"], at: "Lidl")
        try await walk(["bread", "jam", "milk"], at: "Aldi")
        #expect(try await list.trips().map(\.shop) == ["Aldi", "Lidl"])
        try await list.setShopping(true, at: "lidl")
        #expect(try await list.shownRows().map(\.item.text) == ["jam", "milk", "bread"])
        try await list.setShopping(true, at: "Aldi")
        #expect(try await list.shownRows().map(\.item.text) == ["bread", "jam", "milk"])
        // Kept beyond compression.
        let entries = try await list.pendingChanges().map(\.entry).filter { $0.operation == .markOff }
        #expect(entries.allSatisfy { $0.fields[Fields.shop] != nil })
        var purchase = try #require(try await list.trips().last?.picks.first)
        purchase = try Purchase(json: purchase.json, entry: purchase.entry, at: purchase.at)
        #expect(purchase.shop == "Lidl")
        await device.close()
    }

    @Test func `a shop's name is one line that isn't blank, and removing one says whether it was there`() async throws {
        let device = try device()
        let list = try await device.makeList(named: "Shop")
        for name in ["", " ", "a\nb", "a\0b"] {
            await #expect(throws: DeviceError.self) { try await list.setShop(name) }
        }
        let long = String(repeating: "x", count: 5000)
        await #expect(throws: DeviceError.self) { try await list.setShop("Corner", aisles: [long]) }
        #expect(try await list.state().shops.isEmpty)
        try await list.setShop("Corner")
        #expect(try await list.removeShop("CORNER"))
        #expect(try await list.state().shops.isEmpty)
        #expect(try await !list.removeShop("Corner"))
        try await list.undo()
        #expect(try await list.state().shops.map(\.name) == ["Corner"])
        await device.close()
    }

    @Test func `what several lists want is marked off on each of them, or on none`() async throws {
        let device = try device()
        let home = try await device.makeList(named: "Home"), party = try await device.makeList(named: "Party")
        try await home.add("milk, 1 l\nbread")
        try await party.add("Milk, 2 l\ngin")
        let rows = try await device.combinedRows(of: [home.id, party.id])
        #expect(Set(rows.map(\.text)) == ["milk", "bread", "gin"])
        let milk = try #require(rows.first { $0.text == "milk" })
        #expect(milk.parts.map(\.list) == [home.id, party.id])
        try await device.markOff([milk])
        #expect(try await item("milk", of: home).markedOff)
        #expect(try await item("Milk", of: party).markedOff)
        try await party.undo()
        #expect(try await item("milk", of: home).markedOff)
        #expect(try await !item("Milk", of: party).markedOff)
        try await device.unmark([CombinedRow(.init(list: home.id, item: item("milk", of: home)))])

        // A list that has left the device: nothing is marked on the other one.
        var torn = milk
        torn.others[0] = .init(list: Samples.id(), item: torn.others[0].item)
        await #expect(throws: DeviceError.self) { try await device.markOff([torn]) }
        #expect(try await !item("milk", of: home).markedOff)
        try await device.setShopping(true, at: "Corner", on: [home.id, party.id])
        #expect(try await home.shop() == "Corner")
        #expect(try await party.shop() == "Corner")
        await device.close()
    }
}
