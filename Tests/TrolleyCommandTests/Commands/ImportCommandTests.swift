import FoundationEssentials
import Testing
import TrolleyClient

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct ImportCommandTests {
    @Test("of a file's lists, all are made or none", arguments: [(5_000, [] as [String]), (50, ["One", "Two"])])
    func lists(length: Int, made: [String]) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "import-\(UUID()).csv").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = String(repeating: "x", count: length)
        try Data("text,list\nmilk,One\n\(text),Two\n".utf8).write(to: URL(filePath: file))
        let device = try Device.inMemory()
        do {
            _ = try await run("import", file, on: device)
        } catch DeviceError.unusableText {
            #expect(made.isEmpty)
        }
        #expect(try await device.lists().compactMap(\.name).sorted() == made)
        await device.close()
    }
}
