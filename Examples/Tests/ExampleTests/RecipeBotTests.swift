import RecipeBot
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct RecipeBotTests {
    @Test func `it adds what a dish needs, once, also when it was stopped half-way, by a real service`() async throws {
        try await RunningService.run { service, directory in
            let phone = try Device(directory: directory + "/phone")
            let (email, password) = ("ann@example.com", "correct horse")
            _ = try await phone.signUp(server: service.address, email: email, name: "Ann", password: password)
            let list = try await phone.makeList(named: "Weekly shop")
            try await list.add("Pancakes")
            #expect(try await phone.sync().failure == nil)

            let bot = RecipeBot(
                device: try await HostedDevice.make(
                    server: service.address, email: email, password: password, name: "Recipes"),
                recipes: ["pancakes": ["flour", "eggs", "milk"]])
            // It acts, and is stopped before it can acknowledge.
            for arrival in try await bot.device.arrivals() { try await bot.act(on: arrival) }
            // It comes back.
            #expect(try await bot.handleArrivals() > 0)
            #expect(try await bot.handleArrivals() == 0)

            #expect(try await phone.sync().failure == nil)
            let items = try await list.state().items
            #expect(items.filter { !$0.markedOff }.map(\.text).sorted() == ["eggs", "flour", "milk"])
            #expect(items.filter(\.markedOff).map(\.text) == ["Pancakes"])
            await phone.close()
        }
    }
}
