import Foundation
import Testing
import TrolleyClient

@testable import Tutorial

/// The target `Tutorial` is the text that people read in the SDK's documentation.
@Suite(.timeLimit(.minutes(20))) struct TutorialTests {
    private var sources: String { RunningService.repository + "/Sources/TrolleyClient/TrolleyClient.docc" }

    @Test func `what the tutorial ends with is compiled here, byte for byte`() throws {
        let tutorial = try String(contentsOfFile: sources + "/Tutorials/An-offline-list.tutorial", encoding: .utf8)
        // The last step of each file: @Code(name: "OfflineList.swift", file: "offline-list-4.swift").
        var last: [String: String] = [:]
        for match in tutorial.matches(of: #/@Code\(name: "(?<name>[^"]+)", file: "(?<file>[^"]+)"\)/#) {
            last[String(match.name)] = String(match.file)
        }
        #expect(last.count == 2)
        let directory = RunningService.repository + "/Examples/Sources/Tutorial"
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == last.keys.sorted())
        for (name, file) in last {
            let read = try Data(contentsOf: URL(filePath: "\(sources)/Resources/\(file)"))
            #expect(try Data(contentsOf: URL(filePath: "\(directory)/\(name)")) == read, "\(name)")
        }
    }

    @Test func `each step has all lines of the one before, in 40 lines`() throws {
        let steps = try (1...4).map { step in
            try String(contentsOfFile: "\(sources)/Resources/offline-list-\(step).swift", encoding: .utf8).split(
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

    @Test func `its list is made without a service, changed, and found again`() async throws {
        try await withDirectory { directory in
            let list = try await OfflineList(directory: directory)
            try await list.add("milk")
            try await list.add("bread")
            try await list.markOff(try #require(try await list.items.first))
            await list.device.close()

            let again = try await OfflineList(directory: directory)
            #expect(try await again.items.map(\.text) == ["milk", "bread"])
            #expect(try await again.items.map(\.markedOff) == [true, false])
            #expect(try await again.device.queues().waiting == 4, "the name, two adds and a markOff wait for a service")
            await again.device.close()
        }
    }

    @Test func `its model on the main actor shows what another device adds, by a real service`() async throws {
        try await RunningService.run { service, directory in
            let phone = try await OfflineList(directory: directory + "/phone")
            let email = "ann@example.com"
            _ = try await phone.device.signUp(
                server: service.address, email: email, name: "Ann", password: "correct horse")
            let model = await ListModel(phone)
            let running = Task { await model.run() }
            try await phone.add("milk")
            try await eventually("the own change shows") { await model.items.map(\.text) == ["milk"] }
            _ = try await phone.device.sync()

            let tablet = try Device(directory: directory + "/tablet")
            _ = try await tablet.signIn(server: service.address, email: email, password: "correct horse")
            _ = try await tablet.sync()
            try await tablet.list(phone.list.id).add("bread")
            _ = try await tablet.sync()
            try await eventually("the other device's change shows") {
                await model.items.map(\.text) == ["milk", "bread"]
            }
            #expect(await model.problem == nil)
            running.cancel()
            await running.value
            await phone.device.close()
            await tablet.close()
        }
    }
}

/// A directory of the test's own, gone afterwards.
func withDirectory<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Value
) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory.appending(path: "trolley-example-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await body(directory)
}
