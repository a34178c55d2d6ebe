import Foundation
import Testing

@testable import TrolleyModule

/// A series of calls, made to the module in node and to the same Swift natively.
struct ModuleRun {
    private(set) var calls: [(call: ModuleCall, handle: Int32, input: String)] = []

    mutating func add(_ call: ModuleCall, _ handle: Int32 = 0, _ input: String = "{}") {
        calls.append((call, handle, input))
    }

    /// The result of each call, with `!` before an error.
    func natively() -> [String] {
        let state = ModuleState()
        return calls.map { call, handle, input in
            let (isError, output) = Array(input.utf8).withUnsafeBufferPointer {
                state.answer(call.rawValue, handle: handle, $0)
            }
            let text = String(decoding: output, as: UTF8.self)
            guard isError else { return text }
            let problem = (try? JSONSerialization.jsonObject(with: Data(output))) as? [String: String]
            return "!\(problem?["error"] ?? text)"
        }
    }

    /// A line for each call, as `answers.mjs` reads it.
    private var text: String { calls.map { "\($0.call) \($0.handle) \($0.input)\n" }.joined() }

    /// The same in WebAssembly.
    func inModule() throws -> [String] {
        let output = try ModuleRun.node(["Tests/TrolleyModuleTests/run.mjs", "web/trolley.js", ModuleRun.module], text)
        return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// Makes the calls in both, and records the first difference.
    /// - Returns: the results of native code.
    @discardableResult
    func expectSame(_ location: SourceLocation = #_sourceLocation) throws -> [String] {
        let native = natively()
        if let directory = ModuleRun.directory {
            try keep(native, in: directory)
            return native
        }
        let module = try inModule()
        #expect(native.count == module.count, sourceLocation: location)
        for (index, (native, module)) in zip(native, module).enumerated() where native != module {
            let (call, handle, input) = calls[index]
            Issue.record(
                "call \(index), \(call) \(handle) \(input.prefix(2000)): module \(module), native \(native)",
                sourceLocation: location)
            break
        }
        return native
    }

    /// Where the calls and the results of native code go, for a page to do the same: `Tests/Browser/test_module.py`. nil: node
    /// does it at once.
    private static let directory = ProcessInfo.processInfo.environment["TROLLEY_MODULE_RUNS"]

    private func keep(_ native: [String], in directory: String) throws {
        let file = URL(filePath: directory).appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: file.appendingPathExtension("calls"))
        try Data(native.joined(separator: "\n").utf8).write(to: file.appendingPathExtension("answers"))
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

    /// The module with all calls.
    private static let module = ".build/wasm/all-calls.wasm"

    static func node(_ arguments: [String], _ input: String) throws -> String {
        let module = root.appending(path: module)
        try #require(FileManager.default.fileExists(atPath: module.path), "build it: script/wasm --with-tests")
        let directory = FileManager.default.temporaryDirectory.appending(path: "trolley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (calls, answers) = (directory.appending(path: "calls"), directory.appending(path: "answers"))
        try Data(input.utf8).write(to: calls)
        try Data().write(to: answers)

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["node"] + arguments
        process.currentDirectoryURL = root
        process.standardInput = try FileHandle(forReadingFrom: calls)
        process.standardOutput = try FileHandle(forWritingTo: answers)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: try Data(contentsOf: answers), as: UTF8.self)
    }
}
