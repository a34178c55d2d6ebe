import FoundationEssentials
import Subprocess
import Testing

/// The JSON output of `trolley` for other programs.
@Suite(.timeLimit(.minutes(20))) struct JSONAnswerTests {
    /// The commands that run with `--json`, in this order. A name with `$` stands for a value from an earlier answer.
    private static let calls: [(device: String, line: [String], input: String)] = [
        ("alice", ["sign-up", "$address", "--email", "alice@example.com", "--name", "Alice"], ""),
        ("bob", ["sign-up", "$address", "--email", "bob@example.com", "--name", "Bob"], ""),
        ("alice", ["whoami"], ""),
        ("alice", ["lists"], ""),
        ("alice", ["queue"], ""),
        ("alice", ["queue", "--dismiss"], ""),
        ("alice", ["new", "Weekly shop"], ""),
        ("alice", ["use", "Weekly shop"], ""),
        ("alice", ["show"], ""),
        ("alice", ["redo"], ""),
        ("alice", ["add", "-"], "milk\neggs\nbread\n"),
        ("alice", ["edit", "milk", "--quantity", "2 l"], ""),
        ("alice", ["off", "milk"], ""),
        ("alice", ["unmark", "milk"], ""),
        ("alice", ["move", "bread", "--top"], ""),
        ("alice", ["delete", "eggs"], ""),
        ("alice", ["rename", "Party"], ""),
        ("alice", ["recolour", "red"], ""),
        ("alice", ["undo"], ""),
        ("alice", ["redo"], ""),
        ("alice", ["shopping", "on"], ""),
        ("alice", ["apply"], ""),
        ("alice", ["shopping", "off"], ""),
        ("alice", ["aisles", "Dairy"], ""),
        ("alice", ["aisles", "--rename", "Dairy", "Fridge"], ""),
        ("alice", ["shops", "--add", "Corner"], ""),
        ("alice", ["shopping", "on", "--at", "Corner"], ""),
        ("alice", ["show", "--with", "Party"], ""),
        ("alice", ["suggest"], ""),
        ("alice", ["where", "milk"], ""),
        ("alice", ["export", "--as", "markdown"], ""),
        ("alice", ["add", "--recipe", "-", "--makes", "2", "--portions", "4", "--dry-run"], "2 eggs\n"),
        ("alice", ["add", "--recipe", "-"], "2 eggs, beaten\n"),
        ("alice", ["new", "Other"], ""),
        ("alice", ["copy", "--from", "Party"], ""),
        ("alice", ["import", "-", "--into", "Other"], "- jam\n- milk\n"),
        ("alice", ["use", "Party"], ""),
        ("alice", ["sync"], ""),
        ("alice", ["refetch"], ""),
        ("alice", ["activity", "--limit", "3"], ""),
        ("alice", ["replay", "--through", "2"], ""),
        ("alice", ["replay", "--at", "yesterday 17:40"], ""),
        ("alice", ["trips"], ""),
        ("alice", ["restore", "--to", "2", "--preview"], ""),
        ("alice", ["say", "Anything else?"], ""),
        ("alice", ["messages"], ""),
        ("alice", ["react", "1", "👍"], ""),
        ("alice", ["pin", "1"], ""),
        ("alice", ["unsay", "1"], ""),
        ("alice", ["share", "carol@example.com"], ""),
        ("alice", ["invitations"], ""),
        ("alice", ["withdraw", "carol@example.com"], ""),
        ("alice", ["edit", "milk", "--every", "7d"], ""),
        ("alice", ["new", "Picnic", "--from", "Party", "--invite", "bob@example.com"], ""),
        ("alice", ["use", "Party"], ""),
        ("alice", ["arrange", "Picnic", "--pin", "--first"], ""),
        ("alice", ["invite", "bob@example.com"], ""),
        ("bob", ["join", "--look", "$link"], ""),
        ("bob", ["decline", "$link"], ""),
        ("alice", ["invite", "bob@example.com"], ""),
        ("bob", ["join", "$link"], ""),
        ("alice", ["participants"], ""),
        ("alice", ["who"], ""),
        ("alice", ["notify", "summaries"], ""),
        ("alice", ["webhooks", "add", "https://hooks.example.com/trolley"], ""),
        ("alice", ["webhooks"], ""),
        ("alice", ["tokens", "add", "Alice's Thunderbird", "--only", "Party", "--read-only", "--days", "30"], ""),
        ("alice", ["tokens"], ""),
        ("alice", ["tokens", "revoke", "alice's thunderbird"], ""),
        ("alice", ["permission", "bob", "read-only"], ""),
        ("alice", ["permission", "bob", "read-write"], ""),
        ("alice", ["hand-over", "bob"], ""),
        ("alice", ["leave"], ""),
        ("bob", ["sync"], ""),
        ("bob", ["invite"], ""),
        ("alice", ["join", "$link"], ""),
        ("bob", ["remove", "alice"], ""),
        ("bob", ["stop-sharing"], ""),
        ("bob", ["diagnostics"], ""),
        ("bob", ["devices"], ""),
        ("bob", ["password"], ""),
        ("bob", ["profile", "--colour", "teal"], ""),
        ("bob", ["verify"], ""),
        ("bob", ["export", "--output", "$directory/lists.json"], ""),
        ("bob", ["import", "$directory/lists.json"], ""),
        ("bob", ["inspect", "$directory/entries.json"], ""),
        ("bob", ["inspect", "$directory/entries.json", "$directory/entries.json"], ""),
        ("bob", ["sign-out"], ""),
        ("bob", ["sign-in", "$address", "--email", "bob@example.com"], ""),
        ("bob", ["delete-account", "--yes"], ""),
    ]

    private struct Help: Decodable {
        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
        }
        let command: Command
    }

    @Test func `every command but those that answer line by line is tried here`() async throws {
        let output = try await Programs.output(of: Programs.trolley, "--experimental-dump-help")
        let help = try JSONDecoder().decode(Help.self, from: Data(output.utf8))
        let commands = Set((help.command.subcommands ?? []).map(\.commandName))
        #expect(commands == Set(Self.calls.map { $0.line[0] }).union(["watch", "mcp", "help"]))
    }

    @Test func `each command answers with one JSON document, and so does its failure`() async throws {
        try await withTemporaryDirectory { directory in
            try Data(#"{"entries":[]}"#.utf8).write(to: URL(filePath: "\(directory)/entries.json"))
            try await RunningService.run(
                dataDirectory: "\(directory)/data", arguments: ["--mail-command", "cat"]
            ) { service in
                var link = ""
                for call in Self.calls {
                    let line = call.line.map {
                        $0 == "$address"
                            ? service.address : $0 == "$link" ? link : $0.replacing("$directory", with: directory)
                    }
                    let answer = try await answer(line, home: "\(directory)/\(call.device)", input: call.input)
                    #expect(answer.status == .exited(0) && answer.errors.isEmpty, "\(line): \(answer.errors)")
                    let document = try #require(answer.document, "\(line)")
                    if let made = document.link { link = made }
                }
            }
            for call in Self.calls {
                // A device without an account, lists and files.
                let line = call.line.map { $0.hasPrefix("$") ? "http://127.0.0.1:1/nowhere" : $0 }
                let answer = try await answer(line, home: "\(directory)/nobody", input: call.input)
                let hasFailed = answer.status == .exited(1)
                #expect(hasFailed || answer.status == .exited(0), "\(line)")
                #expect(answer.errors.isEmpty == !hasFailed, "\(line)")
                #expect(answer.document.map { ($0.error != nil) == hasFailed } == true, "\(line)")
            }
        }
    }

    private struct Document: Decodable {
        struct Failure: Decodable { let message: String }
        let link: String?
        let error: Failure?
    }

    /// - Returns: the exit status, the text on standard error, and the document on standard output.
    private func answer(
        _ line: [String], home: String, input: String
    ) async throws -> (status: TerminationStatus, errors: String, document: Document?) {
        let result = try await Subprocess.run(
            Programs.trolley, arguments: Arguments(line + ["--json"]),
            environment: .inherit.updating([
                "TROLLEY_HOME": home, "TROLLEY_LANGUAGE": "none", "TROLLEY_PASSWORD": "correct horse",
                "TROLLEY_NEW_PASSWORD": "correct horse",
            ]),
            input: .string(input), output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
        // Output after the document, even a second document, isn't valid JSON.
        let document = try? JSONDecoder().decode(Document.self, from: Data(result.standardOutput.utf8))
        return (result.terminationStatus, result.standardError, document)
    }
}
