import ArgumentParser
import FoundationEssentials
import Testing
import TrolleyClient
import TrolleyJournal

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct AddCommandTests {
    @Test(arguments: [
        ([], ["milk", "eggs", "bread", "jam"]), (["--top"], ["bread", "jam", "milk", "eggs"]),
        (["--after", "milk"], ["milk", "bread", "jam", "eggs"]),
    ])
    func `several items stand in the order in which they were named, wherever they are put`(
        _ place: [String], _ expected: [String]
    ) async throws {
        let home = FileManager.default.temporaryDirectory.path() + "/trolley-add-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let device = try Device(directory: home)
        let list = try await device.makeList(named: "Shop")
        let arguments = ["--json", "--list", list.id.description]
        func add(_ words: [String]) async throws {
            try await AddCommand.asyncParse(words + arguments).run(on: device, Console(json: true))
        }
        try await add(["milk", "eggs"])
        try await add(["bread", "jam"] + place)
        #expect(try await list.state().items.map(\.text) == expected)
        await device.close()
    }
}
