import FoundationEssentials
import Subprocess
import SystemPackage
import TrolleyStore

/// The operator's program for sending mail, such as `msmtp -t`. It reads a message, including the recipient, from
/// standard input, and exits with 0 when a mail server has accepted it. No shell is involved.
package struct MailCommand: Hashable, Sendable {
    let program: String
    let arguments: [String]
    /// The sender; nil: the program decides.
    package var sender: String?
    /// The maximum run time.
    package var timeout = Duration.seconds(30)

    /// Parses a command: words separated by white space. Text in single or double quotation marks is one word.
    /// - Returns: nil when there is no word, or a quotation mark is not closed.
    package init?(_ text: String) {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let whole = word { words.append(whole) }
        guard quote == nil, let program = words.first, !program.isEmpty else { return nil }
        self.program = program
        arguments = Array(words.dropFirst())
    }

    /// Whether the program exists, in `PATH` or at its path, and is executable.
    package var isInstalled: Bool {
        let directories =
            program.contains("/")
            ? [""]
            : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/" }
        return directories.contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }
}

/// Why a message was not sent. Contains nothing of the message.
struct MailFailure: Error, Hashable, CustomStringConvertible {
    let description: String
}

extension MailCommand {
    /// The maximum bytes of the program's error output.
    private static let maxOutputBytes = 64 << 10

    /// Sends a message. Returns when the program has accepted it.
    func send(_ message: MailMessage) async throws(MailFailure) {
        let outcome = await withTaskGroup(of: Result<Void, MailFailure>?.self) { group in
            group.addTask { await self.run(message) }
            group.addTask {
                do { try await Task.sleep(for: self.timeout) } catch { return nil }
                return .failure(MailFailure(description: "the program took longer than \(self.timeout)"))
            }
            let first = await group.next() ?? nil
            // This ends the program if it still runs.
            group.cancelAll()
            return first ?? .failure(MailFailure(description: "the request was cancelled"))
        }
        try outcome.get()
    }

    private func run(_ message: MailMessage) async -> Result<Void, MailFailure> {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        do {
            let input = try Self.pipe(holding: message.text(from: sender))
            defer { try? input.close() }
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                environment: .custom(Self.environment), platformOptions: options,
                input: .fileDescriptor(input, closeAfterSpawningProcess: false), output: .discarded,
                error: .string(limit: Self.maxOutputBytes))
            guard !result.terminationStatus.isSuccess else { return .success(()) }
            let said = Self.firstLine(of: result.standardError, without: message.recipient.text)
            return .failure(MailFailure(description: "the program ended with \(result.terminationStatus)\(said)"))
        } catch let error as SubprocessError where error.code == .executableNotFound {
            return .failure(MailFailure(description: "the program \(program) doesn't exist"))
        } catch {
            return .failure(MailFailure(description: "the program could not be run"))
        }
    }

    /// A pipe that has the whole text, which must be shorter than a pipe's 16 KiB. A program may end without reading it;
    /// Subprocess, writing to such a program, ends the service.
    private static func pipe(holding text: String) throws -> FileDescriptor {
        let (input, output) = try FileDescriptor.pipe()
        do {
            try output.closeAfter { _ = try output.writeAll(text.utf8) }
        } catch {
            try? input.close()
            throw error
        }
        return input
    }

    /// The environment without the service's own settings, which contain passwords.
    private static var environment: [Environment.Key: String] {
        var kept: [Environment.Key: String] = [:]
        for (name, value) in ProcessInfo.processInfo.environment
        where !name.hasPrefix("TROLLEY_") && !name.hasPrefix("PG") {
            if let key = Environment.Key(rawValue: name) { kept[key] = value }
        }
        return kept
    }

    /// The first line of the program's error output, for the operator, without the recipient's address.
    private static func firstLine(of text: String, without address: String) -> String {
        guard let line = text.split(whereSeparator: \.isNewline).first else { return "" }
        return ": " + String(line.replacing(address, with: "…").prefix(200))
    }
}
