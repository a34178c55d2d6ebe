import Synchronization
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

/// Items that come back every few days, and lists that begin with another list's items.
@Suite(.timeLimit(.minutes(20))) struct RecurringItemTests {
    let clock = TestClock()

    @Test func `an item is offered on its day, is never added by itself, and keeps its days when it is added again`()
        async throws
    {
        let device = try Device.inMemory(clock: { [clock] in clock.now })
        let list = try await device.makeList(named: "Shop")
        let milk = try await list.add([NewItem(fields: ["text": "milk", "every": "P7D"])])[0].item
        try await list.markOff(milk.id)
        func isDue() async throws -> Bool? {
            let now = clock.now.wall
            return try await list.suggestions().first { $0.text == "milk" }?.isDue(at: now)
        }
        #expect(try await isDue() == false)
        clock.pass(7 * 86_400_000)
        #expect(try await isDue() == true)
        #expect(try await list.state().items.allSatisfy(\.markedOff), "it is offered, not added")
        try await list.delete(milk.id)
        #expect(try await isDue() == true, "clearing what is done doesn't end it")
        let again = try await list.add("Milk")[0].item
        #expect(again.fields["every"] == "P7D")
        #expect(try await isDue() == nil, "what is wanted isn't offered")
        try await list.edit(again.id, ["every": .null])
        try await list.markOff(again.id)
        clock.pass(8 * 86_400_000)
        #expect(try await list.suggestions().first { $0.text == "Milk" }?.every == nil)
    }

    @Test func `a template gives wanted items with their fields and order, and one undo takes them back`() async throws
    {
        let device = try Device.inMemory()
        let usual = try await device.makeList(named: "The usual", colour: "green")
        let items = try await usual.add([
            NewItem(fields: ["text": "milk", "quantity": "2 l", "aisle": "Dairy", "later": "kept"]),
            NewItem(fields: ["text": "bread"]), NewItem(fields: ["text": "eggs"]),
        ])
        try await usual.perform([.orderAisles(["Produce", "Dairy"])])
        try await usual.markOff(items[0].item.id)
        try await usual.delete(items[1].item.id)
        let (list, _) = try await device.makeList(
            named: "Groceries", from: ListTemplate(try await usual.state()), inviting: [])
        let state = try await list.state()
        #expect(state.items.map(\.text) == ["milk", "eggs"] && state.items.allSatisfy { !$0.markedOff })
        #expect(state.items[0].fields == items[0].item.fields)
        #expect(state.aisles == ["Produce", "Dairy"] && state.colour == "green" && state.name == "Groceries")
        #expect(Set(state.items.map(\.id)).isDisjoint(with: items.map(\.item.id)), "they are items of their own")
        #expect(try await usual.state().items.count == 2, "the other list stays as it is")
        try await list.undo()
        #expect(try await list.state().items.isEmpty)
        let (some, _) = try await device.makeList(
            named: "Some", colour: "red", isLocal: true,
            from: ListTemplate(try await usual.state(), choosing: [items[2].item.id]), inviting: [])
        #expect(try await some.state().items.map(\.text) == ["eggs"])
        #expect(try await some.state().colour == "red")
        #expect(try await some.summary().isLocal)
    }
}
