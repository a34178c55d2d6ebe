import FoundationEssentials
import Testing
import TrolleyClient
import TrolleyJournal

/// The tutorial's code is the file beside this one: what people read is what is compiled here.
@Suite(.timeLimit(.minutes(20))) struct TutorialTests {
    @Test func `its code makes a list, changes it, and finds it again`() async throws {
        let directory = TemporaryDirectory()
        let list = try await OfflineList(directory: directory.path)
        try await list.add("milk")
        try await list.add("bread")
        try await list.markOff(try #require(try await list.items.first))
        await list.device.close()

        let again = try await OfflineList(directory: directory.path)
        #expect(try await again.items.map(\.text) == ["milk", "bread"])
        #expect(try await again.items.map(\.markedOff) == [true, false])
        #expect(try await again.device.queues().waiting == 4, "the name, two adds and a markOff wait for a service")
        await again.device.close()
    }

    @Test func `it keeps in step until it is cancelled`() async throws {
        let directory = TemporaryDirectory()
        let list = try await OfflineList(directory: directory.path)
        try await list.add("milk")
        let (shown, tell) = AsyncStream.makeStream(of: [String].self)
        let task = Task { try await list.keepInStep { tell.yield($0.map(\.text)) } }
        #expect(await shown.first { _ in true } == ["milk"])
        task.cancel()
        _ = await task.result
        await list.device.close()
    }

    @Test func `each step has all lines of the one before, in 40 lines`() throws {
        let steps = try (1...4).map { step in
            let path = #filePath.replacingLast(
                "Tests/TrolleyClientTests/Tutorial/TutorialTests.swift",
                with: "Sources/TrolleyClient/TrolleyClient.docc/Resources/offline-list-\(step).swift")
            return try String(contentsOfFile: path, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
        }
        for (before, after) in zip(steps, steps.dropFirst()) {
            var rest = after[...]
            for line in before {
                guard let index = rest.firstIndex(of: line) else {
                    Issue.record("'\(line)' is missing in the next step")
                    return
                }
                rest = rest[(index + 1)...]
            }
        }
        #expect(steps[3].count <= 41)
    }
}

extension String {
    fileprivate func replacingLast(_ end: String, with other: String) -> String {
        hasSuffix(end) ? String(dropLast(end.count)) + other : self
    }
}
