import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Synchronization
import Testing
import TrolleyJournal
import TrolleyWire

/// I1 and I3: confirmed entries survive kills of any process at any time.
@Suite(.timeLimit(.minutes(20))) struct KilledServiceTests {
    @Test func `killing the service and its database during uploads loses nothing that was confirmed`() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let list = ListID(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
            let confirmed = Confirmed()

            let token = try await RunningService.run(dataDirectory: data) { service in
                let api = API(address: service.address)
                let token = try await api.signUp()
                try await api.makeList(list, token: token)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 1...4 {
                        group.addTask { await api.uploadUntilItFails(to: list, token: token, noting: confirmed) }
                    }
                    // At any point in the middle.
                    group.addTask {
                        while confirmed.count < 200 { await Task.yield() }
                        try? service.killEverything()
                    }
                }
                return token
            }

            let entries = try await RunningService.run(dataDirectory: data) { service in
                try await API(address: service.address).entries(of: list, token: token)
            }
            #expect(entries.map(\.sequence.rawValue) == Array(1...Int64(entries.count)))
            #expect(confirmed.ids.isSubset(of: entries.map(\.entry.id)))
            #expect(confirmed.count >= 200)
        }
    }
}

/// The entries that the service has confirmed.
private final class Confirmed: Sendable {
    private let state = Mutex<Set<EntryID>>([])

    var ids: Set<EntryID> { state.withLock { $0 } }
    var count: Int { state.withLock { $0.count } }
    func insert(_ ids: [EntryID]) { state.withLock { $0.formUnion(ids) } }
}

/// The part of the protocol that this test uses.
private struct API {
    let address: String

    func signUp() async throws -> String {
        let person = SignUpRequest(email: "anna@example.com", name: "Anna", password: "correct horse")
        _ = try await post(Path.accounts, JSONEncoder().encode(person))
        let session = try await post(
            Path.sessions, JSONEncoder().encode(SignInRequest(email: person.email, password: person.password)))
        return try JSONDecoder().decode(SessionResponse.self, from: session).token
    }

    func makeList(_ list: ListID, token: String) async throws {
        _ = try await post(Path.lists, JSONEncoder().encode(CreateListRequest(id: list)), token: token)
    }

    func uploadUntilItFails(to list: ListID, token: String, noting confirmed: Confirmed) async {
        var made: Int64 = 0
        while true {
            let entries = (1...5).map { _ -> UploadEntry in
                made += 1
                let entry = JournalEntry(
                    id: .random, operation: .add, item: .random, fields: [Fields.text: "item"], deviceSequence: made)
                return UploadEntry(entry: entry, age: 0)
            }
            do {
                let answer = try await post(
                    Path.entries(list), Data(UploadRequest(entries: entries).json), token: token)
                let results = try JSONDecoder().decode(UploadResponse.self, from: answer).results
                confirmed.insert(results.filter { $0.status == .applied }.compactMap(\.id))
            } catch { return }
        }
    }

    func entries(of list: ListID, token: String) async throws -> [ConfirmedEntry] {
        var request = HTTPClientRequest(url: "\(address)\(Path.changes(list))?limit=5000")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let page = try ChangesPage(json: Array(try await send(request)))
        #expect(!page.moreComing)
        return page.changes.compactMap { change in if case .entry(let entry) = change.body { entry } else { nil } }
    }

    private func post(_ path: String, _ body: Data, token: String? = nil) async throws -> Data {
        var request = HTTPClientRequest(url: address + path)
        request.method = .POST
        request.body = .bytes(ByteBuffer(data: body))
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws -> Data {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 64 << 20)
        guard (200..<300).contains(response.status.code) else { throw Refused(status: response.status.code) }
        return Data(buffer: body)
    }

    private struct Refused: Error { let status: UInt }
}

extension Identifier {
    fileprivate static var random: Self {
        Self(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
    }
}
