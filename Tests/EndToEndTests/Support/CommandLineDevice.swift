import FoundationEssentials
import Subprocess
import Testing

/// A device: a home of its own and the `trolley` command.
struct CommandLineDevice {
    let home: String
    /// What the command reads as TROLLEY_LANGUAGE. Without a catalogue, only tests about aisles have any.
    var language = "none"
    /// The locale of the command's messages, whatever the machine's is.
    var locale = "C"
    /// Whether a change waits longer for the service than it would for a person: on a busy machine that needs longer.
    var isPatient = true

    private var environment: Environment {
        .inherit.updating([
            "TROLLEY_HOME": home, "TROLLEY_LANGUAGE": language, "LC_ALL": locale,
            "TROLLEY_TEST_PATIENCE": isPatient ? "60" : nil,
        ])
    }

    /// Runs `trolley ARGUMENTS` and expects it to succeed.
    /// - Returns: the text on standard output.
    @discardableResult
    func callAsFunction(
        _ arguments: String..., input: String = "", password: String = "correct horse", newPassword: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let result = try await Subprocess.run(
            Programs.trolley, arguments: Arguments(arguments),
            environment: environment.updating(["TROLLEY_PASSWORD": password, "TROLLEY_NEW_PASSWORD": newPassword]),
            input: .string(input), output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
        #expect(
            result.terminationStatus.isSuccess, "trolley \(arguments.joined(separator: " ")): \(result.standardError)",
            sourceLocation: sourceLocation)
        return result.standardOutput
    }

    /// Runs `trolley ARGUMENTS`.
    /// - Returns: how it ended, and what it wrote to standard output and standard error.
    func run(_ arguments: String...) async throws -> (status: TerminationStatus, output: String, errors: String) {
        try await run(arguments)
    }

    func run(_ arguments: [String]) async throws -> (status: TerminationStatus, output: String, errors: String) {
        let result = try await Subprocess.run(
            Programs.trolley, arguments: Arguments(arguments),
            environment: environment.updating(["TROLLEY_PASSWORD": "correct horse"]),
            input: .none, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return (result.terminationStatus, result.standardOutput, result.standardError)
    }

    /// Runs `trolley ARGUMENTS` and expects it to fail.
    /// - Returns: the text on standard error.
    func fails(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let result = try await Subprocess.run(
            Programs.trolley, arguments: Arguments(arguments),
            environment: environment.updating(["TROLLEY_PASSWORD": "correct horse"]),
            input: .none, output: .discarded, error: .string(limit: 1 << 20))
        #expect(!result.terminationStatus.isSuccess, sourceLocation: sourceLocation)
        return result.standardError
    }

    /// The list as `trolley show --json` prints it.
    func show() async throws -> String { try await self("show", "--json") }
}

extension String {
    /// With 'just now' for times of the last minutes, which a busy machine needs for some commands.
    var recent: String { replacing(/\d+ minutes? ago/, with: "just now") }
}

/// The link in what `trolley invite --json` prints.
func link(_ invitation: String) throws -> String {
    try String(#require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1))
}
