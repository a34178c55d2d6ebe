import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage
import Testing
import TrolleyTestSupport

/// The programs as they were built, run as a person runs them.
enum Programs {
    /// The other programs are in the directory of this test's own binary.
    static let directory: String = {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }()

    static var trolleyd: Executable { .path(FilePath("\(directory)/trolleyd")) }
    static var trolley: Executable { .path(FilePath("\(directory)/trolley")) }
}

extension Programs {
    /// Runs a program to its end and expects it to succeed.
    static func output(of program: Executable, _ arguments: String...) async throws -> String {
        let result = try await Subprocess.run(
            program, arguments: Arguments(arguments), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        #expect(result.terminationStatus.isSuccess, "\(arguments): \(result.standardError)")
        return result.standardOutput
    }
}

extension Programs {
    /// Runs a command of a shell in a terminal that `script` (util-linux) provides.
    /// - Parameters:
    ///   - command: may use programs of this package.
    ///   - input: the typed text.
    /// - Returns: the shown text.
    static func output(
        inTerminal command: String, home: String, locale: String = "C", input: String = ""
    ) async throws -> String {
        let result = try await Subprocess.run(
            .name("script"), arguments: ["-qec", "\(directory)/\(command)", "/dev/null"],
            environment: .inherit.updating([
                "TROLLEY_HOME": home, "TROLLEY_LANGUAGE": "none", "LC_ALL": locale, "TERM": "xterm", "NO_COLOR": "1",
            ]),
            input: .string(input), output: .string(limit: 1 << 20), error: .discarded)
        return result.standardOutput
    }

    /// The present time, in RFC 3339.
    static func moment() async throws -> String {
        String(try await output(of: .name("date"), "-u", "+%FT%T.%3NZ").prefix { !$0.isNewline })
    }
}

/// A directory of the test's own, removed at the end.
func withTemporaryDirectory<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let path = makeTemporaryDirectory(for: "end-to-end")
    // The database's user must be able to enter the directory.
    chmod(path, 0o755)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
