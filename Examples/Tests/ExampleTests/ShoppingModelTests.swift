import ShoppingModel
import Testing
import TrolleyClient

@Suite(.timeLimit(.minutes(20))) @MainActor struct ShoppingModelTests {
    @Test func `it shows the list, adds, marks off and undoes, without a service`() async throws {
        try await withDirectory { directory in
            let device = try Device(directory: directory)
            let list = try await device.makeList(named: "Weekly shop")
            let model = ShoppingModel(list: list)
            let running = Task { await model.run() }
            try await eventually("the name shows") { model.name == "Weekly shop" }
            await model.add("2x eggs\nmilk")
            try await eventually("both items show") { model.items.map(\.text) == ["eggs", "milk"] }
            #expect(model.items.first?.fields["quantity"]?.string == "2")
            await model.toggle(try #require(model.items.last))
            try await eventually("it is marked off") { model.items.last?.markedOff == true }
            #expect(model.undoable?.map(\.operation) == [.markOff])
            await model.undo()
            try await eventually("it is wanted again") { model.items.last?.markedOff == false }
            try await eventually("the status says that changes wait") { model.status.contains("to be sent") }
            #expect(model.problem == nil)
            running.cancel()
            await running.value
            await device.close()
        }
    }

    @Test func `two people see each other's changes, the status, and errors in their language, by a real service`()
        async throws
    {
        try await RunningService.run { service, directory in
            let ann = try Device(directory: directory + "/ann")
            let ben = try Device(directory: directory + "/ben")
            _ = try await ann.signUp(
                server: service.address, email: "ann@example.com", name: "Ann", password: "correct horse")
            _ = try await ben.signUp(
                server: service.address, email: "ben@example.com", name: "Ben", password: "correct horse")
            let list = try await ann.makeList(named: "Party")
            let link = try await list.invite(permission: .readOnly).link
            _ = try await ben.join(link)
            _ = try await ben.sync()

            let anns = await ShoppingModel(list: list)
            let bens = await ShoppingModel(list: ben.list(list.id)) { key in
                ["readOnly": "Diese Liste kannst du nur lesen."][key]
            }
            let running = [Task { await anns.run() }, Task { await bens.run() }]
            await anns.add("beer")
            try await eventually("Ben sees it") { await bens.items.map(\.text) == ["beer"] }
            try await eventually("Ann's status is idle") { await anns.status == "All changes are sent." }
            await bens.add("wine")
            #expect(await bens.problem == "Diese Liste kannst du nur lesen.")
            #expect(await bens.items.count == 1)
            #expect(await anns.problem == nil)
            try await eventually("what is in sight is read") { try await ben.list(list.id).summary().unread == 0 }
            for task in running { task.cancel() }
            for task in running { await task.value }
            await ann.close()
            await ben.close()
        }
    }
}
