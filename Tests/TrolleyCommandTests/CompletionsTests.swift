import ArgumentParser
import FoundationEssentials
import Testing
import TrolleyClient
import TrolleyJournal

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct CompletionsTests {
    @Test func `a shell is told the device's lists and a list's items, and makes nothing`() async throws {
        let home = FileManager.default.temporaryDirectory.path() + "/trolley-completions-\(UUID().uuidString)"
        #expect(await Completions(["trolley", "use", "--home", home]).lists().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: home))
        defer { try? FileManager.default.removeItem(atPath: home) }
        let device = try Device(directory: home)
        for (name, text) in [("Party", "cake"), ("Weekly shop", "oat milk")] {
            let list = try await device.makeList(named: name)
            try await list.perform([.add(device.identifier(), ["text": .string(text)], .bottom)])
        }
        await device.close()
        #expect(await Completions(["trolley", "use", "--home=\(home)"]).lists() == ["Weekly shop", "Party"])
        #expect(await Completions(["trolley", "off", "--home", home]).items() == ["oat milk"])
        #expect(await Completions(["trolley", "off", "--home", home, "--list", "'Party'"]).items() == ["cake"])
        #expect(await Completions(["trolley", "off", "--home", home, "--list", "nonsense"]).items().isEmpty)
    }
}
