import Dispatch
import Foundation
import Testing

/// A `trolleyd serve` in a process of its own, on a PostgreSQL of its own, as the build above this package made it.
struct RunningService: Sendable {
    let address: String

    /// Serves while `body` runs.
    static func run<Value: Sendable>(
        _ body: @Sendable (RunningService, _ directory: String) async throws -> Value
    ) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "trolley-example-\(UUID())").path
        // The database's own user must get to its folder.
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = ["serve", "--json", "--port", "0", "--data-directory", directory + "/service"]
        process.standardOutput = output
        let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in stop.finish() }
        try process.run()
        let result: Result<Value, any Error>
        do {
            // It announces its address in one line.
            let announcement = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(returning: output.fileHandleForReading.availableData)
                }
            }
            let answer = try JSONDecoder().decode([String: String].self, from: announcement)
            result = .success(try await body(RunningService(address: try #require(answer["address"])), directory))
        } catch {
            result = .failure(error)
        }
        process.terminate()
        for await _ in stopped {}
        return try result.get()
    }

    /// `TROLLEYD`, or what `swift build` makes in the directory above this package.
    private static var program: String {
        ProcessInfo.processInfo.environment["TROLLEYD"] ?? repository + "/.build/debug/trolleyd"
    }

    /// The repository's directory.
    static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardized.path
}

/// Waits until a condition holds.
func eventually(
    _ what: String, isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if try await condition() { return }
        // Sleeps: between two looks.
        try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("\(what): not within 30 s", sourceLocation: sourceLocation)
}
