import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyModule

/// `Tests/Vectors` in the module. The vectors were checked by hand, so they don't depend on native code.
@Suite("Vectors in the WebAssembly module", .timeLimit(.minutes(20)))
struct ModuleVectorTests {
    @Test func `states, digests, discards, anchors, undo plans and appends come out`() throws {
        let directory = ModuleRun.root.appending(path: "Tests/Vectors")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
        #expect(files.count > 30)
        var run = ModuleRun()
        var expected: [(name: String, parts: [String: Any])] = []
        var lists: Int32 = 0
        for file in files {
            let data = try Data(contentsOf: file)
            let vector = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let name = file.deletingPathExtension().lastPathComponent
            func expect(_ parts: [String: Any]) { expected.append((name, parts)) }

            // Not through a dictionary, in which canonically equivalent keys are equal.
            let entries = try #require(Dump(json: data).lists.first?.content).json
            let now = try #require((vector["now"] as? String).flatMap { Timestamp($0) })
            let days = try #require((vector["olderThan"] as? String).flatMap { Int64($0.dropLast()) })
            let cutOff = now.advanced(byMilliseconds: -days * 86_400_000)
            run.add(.inspect, 0, #"{"entries":\#(entries),"cutOff":"\#(cutOff)"}"#)
            expect(vector.filter { ["state", "digest", "discarded", "anchors"].contains($0.key) })

            if let undo = vector["undo"] as? [String: Any] {
                run.add(.openList, 0, #"{"entries":\#(entries),"device":\#(try json(undo["device"]))}"#)
                lists += 1
                expect([:])
                for cause in ["undo", "redo"] where undo[cause] != nil {
                    run.add(.plan, lists, #"{"cause":"\#(cause)"}"#)
                    expect(["drafts": undo[cause] as Any])
                }
            }
            if let steps = vector["append"] as? [[String: Any]] {
                let appended = try json(steps.map { $0["entry"] })
                run.add(.resolve, 0, #"{"entries":\#(entries),"cutOff":"\#(cutOff)","append":\#(appended)}"#)
                let resolutions = steps.map { $0.filter { ["lifted", "returning", "after"].contains($0.key) } }
                let afterwards = try #require(vector["afterwards"] as? [String: Any])
                expect(["resolutions": resolutions, "digest": afterwards["digest"] as Any])
            }
        }
        try run.expectSame()
        for (answer, (name, parts)) in zip(try run.inModule(), expected) {
            let seen = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any], "\(name): \(answer)")
            for (key, value) in parts { #expect(try json(seen[key]) == json(value), "\(name): \(key)") }
        }
        print("module: \(files.count) vectors, \(expected.count) calls")
    }

    @Test func `pasted lines come out`() throws {
        let directory = ModuleRun.root.appending(path: "Tests/Vectors/lines")
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        var run = ModuleRun()
        var expected: [[String: Any]] = []
        for file in files {
            let vector = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
            for line in try #require(vector["lines"] as? [[String: Any]]) {
                run.add(.lines, 0, #"{"text":\#(try json(line["line"]))}"#)
                expected.append(line.filter { $0.key != "line" })
            }
        }
        #expect(expected.count > 100)
        for ((answer, expected), call) in zip(zip(try run.expectSame(), expected), run.calls) {
            let seen = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
            // An empty line isn't an item.
            let item = (seen["lines"] as? [Any])?.first
            if expected["text"] is NSNull {
                #expect(item == nil, "\(call.input)")
            } else {
                #expect(try json(item) == json(expected), "\(call.input)")
            }
        }
    }

    /// A value with its objects' keys in order: equal values are equal texts.
    private func json(_ value: Any?) throws -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value ?? NSNull(), options: options), as: UTF8.self)
    }
}
