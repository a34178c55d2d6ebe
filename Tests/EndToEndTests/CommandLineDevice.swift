import FoundationEssentials
import Subprocess
import Testing

/// A device: a home of its own and the `trolley` command.
struct CommandLineDevice {
    let home: String

    /// Runs `trolley ARGUMENTS` and expects it to succeed.
    /// - Returns: what it wrote to standard output.
    @discardableResult
    func callAsFunction(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await Subprocess.run(
            Programs.trolley, arguments: Arguments(arguments),
            environment: .inherit.updating(["TROLLEY_HOME": home, "TROLLEY_PASSWORD": "correct horse"]),
            input: .string(input), output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
        #expect(
            result.terminationStatus.isSuccess, "trolley \(arguments.joined(separator: " ")): \(result.standardError)",
            sourceLocation: sourceLocation)
        return result.standardOutput
    }

    /// The list as `trolley show --json` prints it.
    func show() async throws -> String { try await self("show", "--json") }
}
