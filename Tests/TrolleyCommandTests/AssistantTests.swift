import FoundationEssentials
import Testing
import TrolleyAssistant
import TrolleyClient

@testable import trolley

/// What an assistant's program says and hears. Another program of that kind is the judge in Tests/Assistant.
@Suite(.timeLimit(.minutes(20))) struct AssistantTests {
    private struct Answer: Decodable {
        struct Failure: Decodable {
            let code: Int
            let message: String
        }
        struct Content: Decodable { let text: String }
        struct Tool: Decodable { let name: String }
        struct Resource: Decodable {
            let uri, name: String
        }
        struct Result: Decodable {
            let protocolVersion: String?
            let supportedVersions: [String]?
            let resultType: String?
            let tools: [Tool]?
            let content: [Content]?
            let contents: [Content]?
            let resources: [Resource]?
            let isError: Bool?
        }
        let id: Int?
        let result: Result?
        let error: Failure?
    }

    private struct List: Decodable {
        struct Item: Decodable {
            struct Fields: Decodable { let quantity, shop: String? }
            let text: String
            let markedOff: Bool
            let fields: Fields

            var quantity: String? { fields.quantity }
        }
        let items: [Item]
    }

    /// A device with a list of its own, without a service.
    private func with(_ body: (inout AssistantServer) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "assistant-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let device = try Device(directory: directory)
        _ = try await device.makeList(named: "Kitchen", isLocal: true)
        var server = AssistantServer(device: device)
        try await body(&server)
        await device.close()
    }

    private func ask(
        _ server: inout AssistantServer, _ method: String, _ parameters: String = "{}"
    ) async throws -> Answer {
        let line = #"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":\#(parameters)}"#
        let bytes = try #require(await server.answer(to: line))
        #expect(!bytes.contains(UInt8(ascii: "\n")))
        let answer = try JSONDecoder().decode(Answer.self, from: Data(bytes))
        #expect(answer.id == 7)
        return answer
    }

    private func call(
        _ server: inout AssistantServer, _ tool: String, _ arguments: String = "{}"
    ) async throws -> (text: String, isError: Bool) {
        let result = try #require(
            try await ask(&server, "tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#).result)
        return (try #require(result.content?.first).text, result.isError ?? true)
    }

    private func items(_ server: inout AssistantServer) async throws -> [List.Item] {
        let shown = try await call(&server, "show")
        #expect(!shown.isError, "\(shown.text)")
        return try JSONDecoder().decode(List.self, from: Data(shown.text.utf8)).items
    }

    @Test func `items are added, marked off, changed and taken back`() async throws {
        try await with { server in
            let added = try await call(&server, "add", #"{"items":["milk, 2 l","bread"],"list":"Kitchen"}"#)
            #expect(!added.isError, "\(added.text)")
            #expect(try await items(&server).map(\.text) == ["milk", "bread"])
            #expect(try await items(&server).first?.quantity == "2 l")
            _ = try await call(&server, "mark_off", #"{"items":["bread"]}"#)
            // A model writes numbers for texts.
            _ = try await call(&server, "edit", #"{"item":1,"quantity":6}"#)
            var present = try await items(&server)
            #expect(present.first { $0.text == "bread" }?.markedOff == true)
            #expect(present.first { $0.text == "milk" }?.quantity == "6")
            _ = try await call(&server, "edit", #"{"item":"milk","quantity":""}"#)
            #expect(try await items(&server).first { $0.text == "milk" }?.quantity == nil)
            for _ in 1...3 { #expect(try await !call(&server, "undo").isError) }
            present = try await items(&server)
            #expect(present.allSatisfy { !$0.markedOff } && present.first?.quantity == "2 l")
            let found = try await call(&server, "where", #"{"item":"mil"}"#)
            #expect(found.text.contains("Kitchen"))
            #expect(try await !call(&server, "suggest").isError)
            #expect(try await call(&server, "lists").text.contains("Kitchen"))
        }
    }

    @Test func `what is bought in one shop only is said so`() async throws {
        try await with { server in
            _ = try await call(&server, "add", #"{"items":["nails","glue"],"shop":"Hardware"}"#)
            _ = try await call(&server, "edit", #"{"item":"glue","shop":""}"#)
            #expect(try await items(&server).map(\.fields.shop) == ["Hardware", nil])
        }
    }

    @Test(
        "what can't be done is said to the assistant, and changes nothing",
        arguments: [
            ("add", "{}", "add needs 'items'"), ("add", #"{"items":[]}"#, "'items' is empty"),
            ("add", #"{"items":["-"]}"#, "'-' is no item"),
            ("add", #"{"items":["x"],"file":"/etc/passwd"}"#, "no argument 'file'"),
            ("edit", #"{"item":"milk","text":["a","b"]}"#, "'text' is one text"),
            ("add", #"{"items":null}"#, "add needs 'items'"), ("add", #"{"items":{"a":1}}"#, "'items' is a text"),
            ("add", #"{"items":["milk",null]}"#, "'items' is a text"), ("show", #"{"list":true}"#, "'list' is a text"),
            ("show", "[]", "The arguments are an object"),
            ("mark_off", #"{"items":["truffles"]}"#, "truffles"),
            ("show", #"{"list":"0199b2c4-0000-7000-8000-000000000151"}"#, "list"),
        ])
    func refused(tool: String, arguments: String, said: String) async throws {
        try await with { server in
            let answer = try await call(&server, tool, arguments)
            #expect(answer.isError && answer.text.contains(said), "\(answer.text)")
            #expect(try await items(&server).isEmpty)
        }
    }

    @Test func `an argument that is null is not given`() async throws {
        try await with { server in
            let added = try await call(
                &server, "add", #"{"items":["milk"],"aisle":null,"note":null,"list":null,"colour":null}"#)
            #expect(!added.isError, "\(added.text)")
            #expect(try await items(&server).map(\.text) == ["milk"])
        }
    }

    @Test func `what looks like an option is an item`() async throws {
        try await with { server in
            _ = try await call(&server, "add", #"{"items":["--file=/etc/passwd","--help"],"note":"--aisle"}"#)
            #expect(try await items(&server).map(\.text) == ["--file=/etc/passwd", "--help"])
        }
    }

    @Test func `versions are agreed on, by a handshake or by each request`() async throws {
        try await with { server in
            for (wanted, agreed) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
                let answer = try await ask(
                    &server, "initialize", #"{"protocolVersion":"\#(wanted)","capabilities":{}}"#)
                #expect(answer.result?.protocolVersion == agreed)
            }
            let own = "io.modelcontextprotocol"
            let meta = #"{"_meta":{"\#(own)/protocolVersion":"VERSION","\#(own)/clientCapabilities":{}}}"#
            let found = try await ask(&server, "server/discover", meta.replacing("VERSION", with: "2026-07-28"))
            #expect(found.result?.supportedVersions?.first == "2026-07-28" && found.result?.resultType == "complete")
            let tools = try await ask(&server, "tools/list", meta.replacing("VERSION", with: "2026-07-28"))
            #expect(tools.result?.tools?.map(\.name) == AssistantTool.all.map(\.name.rawValue))
            #expect(
                try await ask(&server, "tools/list", meta.replacing("VERSION", with: "1999-01-01")).error?.code
                    == -32022)
        }
    }

    @Test func `lists are resources`() async throws {
        try await with { server in
            _ = try await call(&server, "add", #"{"items":["milk"]}"#)
            let list = try #require(try await ask(&server, "resources/list").result?.resources?.first)
            #expect(list.name == "Kitchen")
            let read = try await ask(&server, "resources/read", #"{"uri":"\#(list.uri)"}"#)
            #expect(read.result?.contents?.first?.text.contains("milk") == true)
            #expect(try await ask(&server, "resources/read", #"{"uri":"file:///etc/passwd"}"#).error?.code == -32602)
        }
    }

    @Test func `messages that are none are answered, and notifications are not`() async throws {
        try await with { server in
            #expect(await server.answer(to: #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
            for (line, code) in [
                ("nonsense", -32700), ("[]", -32600), (#"{"id":1}"#, -32600),
                (String(repeating: "x", count: 1 << 21), -32600),
                (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete-account"}}"#, -32602),
                (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#, -32602),
                (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":"x"}"#, -32602),
                (#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}"#, -32601),
            ] {
                let answer = try #require(await server.answer(to: line))
                let said = try JSONDecoder().decode(Answer.self, from: Data(answer))
                #expect(said.error?.code == code, "\(line.prefix(80))")
                #expect((said.id == 1) == [-32602, -32601].contains(code), "\(line.prefix(80))")
            }
        }
    }
}
