import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing
import TrolleyJournal
import TrolleyWire

/// A person who uses the service's calls directly.
struct BareDevice {
    private let address: String
    let token: String

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

    /// Opens a list, adds items, writes a message and leaves the list.
    func visit(_ list: ListID, adding count: Int = 2) async throws {
        let presence = address + Path.presence(list)
        _ = try await Self.call(.PUT, presence, PresenceRequest(present: true), token: token)
        let operations = [TrolleyJournal.Operation](repeating: .add, count: count) + [.message]
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
