import FamilyApp
import Testing
import TrolleyClient
import TrolleySyncTesting

@Suite(.timeLimit(.minutes(20))) @MainActor struct FamilyAppTests {
    @Test func `two of them stay in step by themselves`() async throws {
        let service = InMemoryService()
        let anns = try await FamilyApp(device: service.device(of: "Ann"))
        let bens = try await FamilyApp(device: service.device(of: "Ben"), link: anns.share())
        let running = [Task { try await anns.run() }, Task { try await bens.run() }]
        try await anns.add("milk")
        try await bens.add("eggs")
        for app in [anns, bens] {
            try await eventually("both items show") { Set(app.items.map(\.text)) == ["milk", "eggs"] }
            try await eventually("all is sent") { app.status == "All changes are sent." }
        }
        for task in running { task.cancel() }
        for task in running { _ = await task.result }
        await anns.list.device.close()
        await bens.list.device.close()
    }

    @Test func `its list is there again when the app starts again`() async throws {
        let device = try Device.inMemory()
        let first = try await FamilyApp(device: device)
        try await first.add("milk")
        let second = try await FamilyApp(device: device)
        #expect(second.list == first.list)
        await device.close()
    }
}
