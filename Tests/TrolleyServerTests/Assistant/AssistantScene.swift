import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

/// A person with a list that is called 'Kitchen', and an assistant with a personal token of theirs.
struct AssistantScene {
    let service: TestService
    let anna: Person
    let list: ListID
    /// The assistant's personal token.
    let token: PersonalTokenResponse

    static func with(
        token json: String = #"{"name":"Ann's assistant"}"#, limits: Limits = Limits(),
        reading: ReadingLimits = ReadingLimits(), configure: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: (AssistantScene) async throws -> Void
    ) async throws {
        try await TestService.with(limits: limits, reading: reading, configure: configure) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            try await service.rename(list, to: "Kitchen", by: anna)
            let token = try await service.personalToken(of: anna, json.replacing("LIST", with: "\(list)"))
            try await body(AssistantScene(service: service, anna: anna, list: list, token: token))
        }
    }

    /// The token's program, as a caller.
    var assistant: Person { token.person(like: anna) }

    /// What the assistant hears to a message.
    func post(_ message: String, headers: [String: String] = [:], as caller: Person? = nil) async throws -> Answer {
        var headers = headers
        headers["content-type"] = "application/json"
        return try await service.call(
            "POST", Path.assistant, token: (caller ?? assistant).token, body: Array(message.utf8), headers: headers)
    }

    /// Calls a tool.
    /// - Parameter arguments: JSON.
    func use(_ tool: String, _ arguments: String = "{}", as caller: Person? = nil) async throws -> ToolResult {
        let answer = try await post(
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#,
            as: caller)
        try #require(answer.status == 200, "\(tool) \(answer.text)")
        #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
        let result = try #require(try answer.decode(RPCAnswer.self).result, "\(tool) \(answer.text)")
        let text = try #require(result.content?.first?.text)
        let isError = try #require(result.isError as Bool?)
        // What a program reads and what a model reads are the same.
        #expect((result.structuredContent == nil) == isError)
        return ToolResult(text: text, isError: isError, answer: isError ? nil : try? ToolResult.decoded(text))
    }

    /// Items as every device has them: '[x] milk, 2 l'.
    func items(_ list: ListID? = nil) async throws -> [String] {
        let answer = try await service.call("GET", Path.state(list ?? self.list), token: anna.token)
        try #require(answer.status == 200)
        return try ToolResult.decoded(answer.text).items?.map(\.line) ?? []
    }

    /// The list's entries, in order.
    func entries() async throws -> [ConfirmedEntry] { try await service.changes(list, for: anna).entries }
}

/// An answer of JSON-RPC 2.0.
struct RPCAnswer: Decodable {
    struct Failure: Decodable {
        let code: Int
        let message: String
    }

    struct Result: Decodable {
        struct Content: Decodable { let text: String }
        struct Tool: Decodable { let name: String }
        struct Resource: Decodable { let uri, name: String }
        struct Structure: Decodable {}

        let protocolVersion: String?
        let instructions: String?
        let tools: [Tool]?
        let content: [Content]?
        let contents: [Content]?
        let resources: [Resource]?
        let structuredContent: Structure?
        let isError: Bool?
    }

    let id: Int?
    let result: Result?
    let error: Failure?
}

/// What became of a tool's call.
struct ToolResult {
    struct Document: Decodable {
        struct Item: Decodable {
            let id: ItemID
            let text: String
            let markedOff: Bool
            let fields: [String: String?]
            let position: Int?

            var line: String {
                let quantity = fields["quantity"].flatMap(\.self).map { ", \($0)" } ?? ""
                return (markedOff ? "[x] " : "") + text + quantity
            }
        }

        struct Entry: Decodable { let operation: String }
        struct Skipped: Decodable {
            let what: String
            let author: String?
        }
        struct Row: Decodable {
            let id: ListID
            let name: String?
            let wanted, markedOff: Int?
            let unread, others: Int
            let owner: String?
        }
        struct Suggestion: Decodable { let text: String }

        let id: ListID?
        let list: ListID?
        let name: String?
        let lists: [Row]?
        let items: [Item]?
        let back, present: [ItemID]?
        let entries: [Entry]?
        let skipped: [Skipped]?
        let suggestions: [Suggestion]?
        let change, undone: EntryID?
        let waiting: Int?
    }

    let text: String
    let isError: Bool
    /// nil: an error, or an answer of `where`.
    let answer: Document?

    static func decoded(_ text: String) throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(text.utf8))
    }
}

/// The answer of `where`, whose items are of another kind.
struct WhereDocument: Decodable {
    struct Item: Decodable {
        let list: ListID
        let listName: String?
        let text, status, source: String
        let byName, addedByName: String?
    }

    struct Unsearched: Decodable {
        let list: ListID
        let listName: String?
    }

    let isWhole: Bool
    let unsearched: [Unsearched]?
    let total: Int
    let items: [Item]

    init(_ text: String) throws { self = try JSONDecoder().decode(WhereDocument.self, from: Data(text.utf8)) }
}

extension TestService {
    func rename(_ list: ListID, to name: String, by person: Person) async throws {
        let entry = JournalEntry(
            id: .random(), operation: .renameList, fields: ["text": .string(name)], deviceSequence: 1)
        _ = try await upload([entry], to: list, by: person)
    }
}
