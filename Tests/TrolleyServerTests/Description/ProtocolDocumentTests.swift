import FoundationEssentials
import Subprocess
import Testing
import TrolleyWire

@Suite("docs/protocol.md", .timeLimit(.minutes(20)))
struct ProtocolDocumentTests {
    static let document = URL(filePath: #filePath).appending(path: "../../../../docs/protocol.md").standardized

    @Test("its commands, run from top to bottom, give the answers that it shows")
    func commands() async throws {
        let document = try Document(String(contentsOf: Self.document, encoding: .utf8))
        #expect(document.blocks.count { $0.answer != nil } >= 15)
        try await TestService.with { service in
            let result = try await Subprocess.run(
                .name("bash"), arguments: ["-c", document.script],
                environment: .inherit.updating(["TROLLEY": service.url]),
                output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
            let complaint = result.standardError
            #expect(result.terminationStatus.isSuccess, "needs bash, curl and jq: \(complaint)")
            let answers = document.answers(in: result.standardOutput)
            try #require(answers.count == document.blocks.count, "\(complaint)")
            for (block, answer) in zip(document.blocks, answers) {
                guard let expected = block.answer else { continue }
                #expect(
                    answer.matches(expected), "\(block.commands)\nanswered \(answer)\nnot \(expected)\n\(complaint)")
            }
        }
    }

    @Test("its tables hold every code with its status, and every limit with its default")
    func tables() throws {
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        for code in ProblemCode.allCases { #expect(text.contains("| `\(code.rawValue)` | \(code.status) |")) }
        for limit in Mirror(reflecting: Limits()).children {
            #expect(text.contains("| `\(limit.label ?? "")` | \(limit.value) |"))
        }
    }
}

/// A page with commands in `sh` blocks. A `json` or `text` block after a command is its expected output.
private struct Document {
    struct Block {
        var commands: String
        var answer: String?
    }

    private(set) var blocks: [Block] = []

    init(_ text: String) {
        for (index, part) in text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
        where index % 2 == 1 {
            if part.hasPrefix("sh\n") { blocks.append(Block(commands: String(part.dropFirst(3)))) }
            for kind in ["json\n", "text\n"] where part.hasPrefix(kind) && !blocks.isEmpty {
                blocks[blocks.count - 1].answer = String(part.dropFirst(kind.count))
            }
        }
    }

    private static let separator = "=== next block ==="

    /// All commands, for one shell.
    var script: String {
        "set -e -o pipefail\n" + blocks.map { "\($0.commands)\necho '\(Self.separator)'\n" }.joined()
    }

    func answers(in output: String) -> [String] {
        var answers: [String] = []
        var rest = output[...]
        while let range = rest.firstRange(of: Self.separator) {
            answers.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return answers
    }
}

extension String {
    /// Whether the output is the expected one, apart from white space and the parts that `…` replaces.
    fileprivate func matches(_ expected: String) -> Bool {
        var rest = Array(utf8.filter { $0 > 0x20 })[...]
        let parts = expected.filter { !$0.isWhitespace }.split(separator: "…", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let part = Array(part.utf8)
            if index == 0 {
                guard rest.starts(with: part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.reversed().starts(with: part.reversed())
            } else {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
        }
        return rest.isEmpty
    }
}
