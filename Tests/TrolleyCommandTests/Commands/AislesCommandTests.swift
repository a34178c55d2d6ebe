import Testing
import TrolleyClient
import TrolleyJournal

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct AislesCommandTests {
    @Test(
        "a shop that the list hasn't got has no order to show or to remove, and is not added",
        arguments: [["aisles", "--shop", "Cornr"], ["aisles", "--reset", "--shop", "Cornr"]])
    func unknown(line: [String]) async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Week", isLocal: true)
        try await list.setShop("Corner", aisles: ["Bakery"])
        let error = await #expect(throws: CommandError.self) { _ = try await run(line, on: device) }
        guard case .noSuchShop("Cornr", among: ["Corner"]) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await list.state().shops == [Shop(name: "Corner", aisles: ["Bakery"])])
        await device.close()
    }

    @Test func `the order of a known shop is removed, and a shop that only an item names stays out of the list's`()
        async throws
    {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Week", isLocal: true)
        try await list.setShop("Corner", aisles: ["Bakery"])
        try await list.add([NewItem(fields: [Fields.text: "nails", Fields.shop: "Hardware"])])
        #expect(try await !run("aisles", "--reset", "--shop", "corner", on: device).isFailed)
        #expect(try await !run("aisles", "--reset", "--shop", "Hardware", on: device).isFailed)
        #expect(try await list.state().shops == [Shop(name: "Corner", aisles: [])])
        await device.close()
    }
}
