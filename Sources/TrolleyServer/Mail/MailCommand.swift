import FoundationEssentials
import Subprocess
import SystemPackage
import TrolleyStore

/// The program that the operator names for sending mail, such as `msmtp -t`: it takes a message on standard input, reads from it
/// to whom it goes, and exits with 0 once somebody has taken it. No shell is between.
public struct MailCommand: Hashable, Sendable {
    let program: String
    let arguments: [String]
    /// Who the mail is from; nil: as the program says.
    public var sender: String?
    /// How long it may take.
    public var timeout = Duration.seconds(30)

    /// Reads a command as a person writes it: words, with white space between them. What stands between two single or double
    /// quotation marks is one word.
    /// - Returns: nil when there is no word, or a quotation mark is left open.
    public init?(_ text: String) {
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

    /// Whether the program is there and may be run; as a person would find it.
    public var isInstalled: Bool {
        let directories =
            program.contains("/")
            ? [""]
            : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/" }
        return directories.contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }
}

/// Why a message was not sent, without what is in it.
struct MailFailure: Error, Hashable, CustomStringConvertible {
    let description: String
}

extension MailCommand {
    /// What a program may write about a failure.
    private static let mostWritten = 64 << 10

    /// Returns once the program has taken the message.
    func send(_ message: MailMessage) async throws(MailFailure) {
        let outcome = await withTaskGroup(of: Result<Void, MailFailure>?.self) { group in
            group.addTask { await self.run(message) }
            group.addTask {
                do { try await Task.sleep(for: self.timeout) } catch { return nil }
                return .failure(MailFailure(description: "the program took longer than \(self.timeout)"))
            }
            let first = await group.next() ?? nil
            // Ends the program, if it still runs.
            group.cancelAll()
            return first ?? .failure(MailFailure(description: "the request was cancelled"))
        }
        try outcome.get()
    }

    private func run(_ message: MailMessage) async -> Result<Void, MailFailure> {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        do {
            let result = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
                environment: .custom(Self.environment), platformOptions: options,
                input: .string(message.text(from: sender)), output: .discarded, error: .string(limit: Self.mostWritten))
            guard !result.terminationStatus.isSuccess else { return .success(()) }
            let said = Self.firstLine(of: result.standardError, without: message.recipient.text)
            return .failure(MailFailure(description: "the program ended with \(result.terminationStatus)\(said)"))
        } catch let error as SubprocessError where error.code == .executableNotFound {
            return .failure(MailFailure(description: "there is no program \(program)"))
        } catch {
            return .failure(MailFailure(description: "the program could not be run"))
        }
    }

    /// The service's own settings, which hold passwords, are none of the program's business.
    private static var environment: [Environment.Key: String] {
        var kept: [Environment.Key: String] = [:]
        for (name, value) in ProcessInfo.processInfo.environment
        where !name.hasPrefix("TROLLEY_") && !name.hasPrefix("PG") {
            if let key = Environment.Key(rawValue: name) { kept[key] = value }
        }
        return kept
    }

    /// What a program wrote about a failure, for the operator: one line, without the person's address.
    private static func firstLine(of text: String, without address: String) -> String {
        guard let line = text.split(whereSeparator: \.isNewline).first else { return "" }
        return ": " + String(line.replacing(address, with: "…").prefix(200))
    }
}
