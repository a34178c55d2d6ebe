import ArgumentParser
import Testing
import TrolleyClient
import TrolleyJournal

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct ShoppingCommandTests {
    @Test("beside the shops that the lists have, another name is refused with them, and nothing changes")
    func unknownShop() async throws {
        let device = try Device.inMemory()
        let home = try await device.makeList(named: "Home", isLocal: true)
        try await home.setShop("Corner", aisles: [])
        let party = try await device.makeList(named: "Party", isLocal: true)
        try await party.add([NewItem(fields: [Fields.text: "nails", Fields.shop: "Hardware"])])
        let line = ["shopping", "on", "--with", "Home", "--order", "list", "--at", "Cornr"]
        let error = await #expect(throws: CommandError.self) { _ = try await run(line, on: device) }
        guard case .noSuchShop("Cornr", let shops) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(Set(shops) == ["Corner", "Hardware"])
        #expect(try await !party.isShopping())
        #expect(try await device.usesLearnedOrder())
        let (document, isFailed) = try await run("shopping", "on", "--with", "Home", "--at", "corner", on: device)
        #expect(!isFailed && document.contains(#""shopping":true"#), "\(document)")
        #expect(try await home.shop() == "Corner")
        await device.close()
    }

    @Test("on a list without shops any name will do")
    func firstShop() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Home", isLocal: true)
        #expect(try await !run("shopping", "on", "--at", "Corner", on: device).isFailed)
        #expect(try await list.shop() == "Corner")
        await device.close()
    }

    @Test(
        "a colour is one that the apps know, or a number",
        arguments: [("Yellow", "yellow"), (" gray", "grey"), ("#FFCC00", "#ffcc00"), ("#fc0", "#fc0")])
    func colours(text: String, colour: String) async throws {
        #expect(try ListColour.parsed(text) == colour)
        _ = try await RecolourCommand.asyncParse([text])
        _ = try await NewCommand.asyncParse(["Home", "--colour", text])
    }

    @Test(
        "another colour is refused with those that there are",
        arguments: ["zzz", " ", "#ffcc0", "#gggggg", "ffcc00"])
    func unknownColours(text: String) async throws {
        let recolour = await #expect(throws: (any Error).self) { _ = try await RecolourCommand.asyncParse([text]) }
        let new = await #expect(throws: (any Error).self) {
            _ = try await NewCommand.asyncParse(["Home", "--colour", text])
        }
        for error in [recolour, new].compactMap(\.self) {
            #expect(Trolley.message(for: error).contains("green, teal, blue"), "\(error)")
        }
    }
}
