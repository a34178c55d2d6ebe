import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing
import TrolleyJournal
import TrolleyWire

/// `who`, `notify` and the ticks of `activity`, and summaries of a service that is killed, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct SummaryCommandTests {
    private func link(_ invitation: String) throws -> String {
        try String(#require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1))
    }

    @Test func `activity says how far one's changes have come, and who says it of each person`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                #expect(try await alice("who").contains("Nobody else is on 'Party'"))
                try await bob("join", try link(try await alice("invite", "bob@example.com", "--json")))
                try await bob("add", "beer")
                #expect(try await bob("activity").contains("'beer'  · on the service\n"))
                #expect(try await bob("who").contains("Alice  has seen nothing yet"))
                // The second sync confirms what the first one has stored.
                try await alice("sync")
                try await alice("sync")
                #expect(try await bob("activity").contains("'beer'  · on Alice's device\n"))
                #expect(try await bob("who").contains("on a device"))
                try await alice("show")
                try await alice("sync")
                #expect(try await bob("activity").contains("'beer'  · seen by Alice\n"))
                #expect(try await bob("activity", "--json").contains(#""delivery":[{"account""#))
                #expect(try await bob("who", "--json").contains(#""isPresent":false"#))

                #expect(try await alice("notify") == "'Party': you get summaries.\n")
                #expect(try await alice("notify", "nothing") == "'Party': you are told nothing.\n")
                #expect(try await alice("notify", "--json").contains(#""level":"nothing","summaries":[]"#))
                #expect(try await bob("notify", "all") == "'Party': you are told of each change.\n")
            }
        }
    }

    @Test func `a session that ends just when the service is killed is summarized once`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            let data = "\(directory)/data"
            let (port, ben, list) = try await RunningService.run(dataDirectory: data) { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                try await anna("new", "Party")
                try await anna("add", "cups")
                let link = try link(try await anna("invite", "ben@example.com", "--json"))
                let ben = try await BareDevice(service.address, email: "ben@example.com", name: "Ben")
                let list = try await ben.join(secret: String(link.split(separator: "#")[1]))
                try await ben.visit(list)
                kill(service.process, SIGKILL)
                return (service.port, ben, list)
            }
            #expect(!list.description.isEmpty)
            try await RunningService.run(dataDirectory: data, port: port) { service in
                // If the database had to recover, it has forgotten that Ben has left. Then two minutes of silence end
                // his session.
                var told = ""
                for _ in 0..<600 where !told.contains("Ben") {
                    told = try await anna("notify")
                    try await Task.sleep(for: .milliseconds(300))
                }
                #expect(told.contains("Ben added 2, wrote a message\n"))
                try await Task.sleep(for: .seconds(2))
                #expect(try await anna("notify") == told, "once")
                #expect(try await ben.summaries().isEmpty)
                try await anna("sync")
                try await anna("show")
                try await anna("sync")
                #expect(try await !anna("notify").contains("Ben"))
            }
        }
    }
}

/// A person who uses the service's calls directly.
private struct BareDevice {
    private let address: String
    private let token: String

    init(_ address: String, email: String, name: String) async throws {
        self.address = address
        let signUp = SignUpRequest(email: email, name: name, password: "correct horse")
        _ = try await Self.call(.POST, address + Path.accounts, signUp)
        let session = try await Self.call(
            .POST, address + Path.sessions, SignInRequest(email: email, password: "correct horse"))
        token = try JSONDecoder().decode(SessionResponse.self, from: session).token
    }

    func join(secret: String) async throws -> ListID {
        let list = try await Self.call(.POST, address + Path.accept, SecretRequest(secret: secret), token: token)
        return try JSONDecoder().decode(ListResponse.self, from: list).id
    }

    /// Opens a list, adds two items, writes a message and leaves the list.
    func visit(_ list: ListID) async throws {
        let presence = address + Path.presence(list)
        _ = try await Self.call(.PUT, presence, PresenceRequest(present: true), token: token)
        let operations: [TrolleyJournal.Operation] = [.add, .add, .message]
        let entries = operations.enumerated().map { index, operation in
            UploadEntry(
                entry: JournalEntry(
                    id: .random, operation: operation, item: .random, fields: [Fields.text: "text"],
                    deviceSequence: Int64(index + 1)),
                age: 0)
        }
        _ = try await Self.call(
            .POST, address + Path.entries(list), body: Data(UploadRequest(entries: entries).json), token: token)
        _ = try await Self.call(.PUT, presence, PresenceRequest(present: false), token: token)
    }

    func summaries() async throws -> [SessionSummary] {
        let body = try await Self.call(.GET, address + Path.summaries, body: nil, token: token)
        return try JSONDecoder().decode(SummariesResponse.self, from: body).summaries
    }

    private static func call(
        _ method: HTTPMethod, _ url: String, _ body: some Encodable, token: String? = nil
    ) async throws -> Data {
        try await call(method, url, body: try JSONEncoder().encode(body), token: token)
    }

    private static func call(_ method: HTTPMethod, _ url: String, body: Data?, token: String?) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        request.method = method
        if let body { request.body = .bytes(ByteBuffer(data: body)) }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 64 << 20)
        try #require((200..<300).contains(response.status.code), "\(method) \(url): \(response.status)")
        return Data(buffer: answer)
    }
}

extension Identifier {
    fileprivate static var random: Self {
        Self(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
    }
}
