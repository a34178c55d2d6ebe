import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// The service's own handlers on a real database, called without a socket.
struct FleetService: Sendable {
    let store: Store
    private let pool: Pool
    private let configuration: ServiceConfiguration
    private let responder: RouterResponder<TrolleyContext>

    static let migrated = TestTemplate(name: "fleet") { url in
        let pool = Pool(try Store.configuration(url))
        try await Migrator(pool: pool).migrate()
        await pool.close()
    }

    init(url: String) async throws {
        var options = Pool.Options()
        options.maximumConnections = 2
        options.acquireTimeout = .seconds(120)
        let pool = Pool(try .patient(url), options: options)
        try await self.init(
            store: Store(pool: pool), pool: pool,
            // The cheapest scrypt parameters, because the tests don't measure its cost.
            ServiceConfiguration(
                version: "0.0.0", passwordCost: .weak))
    }

    private init(store: Store, pool: Pool, _ configuration: ServiceConfiguration) async throws {
        self.pool = pool
        self.store = store
        self.configuration = configuration
        let service = try await TrolleyServer.Service(
            store: store, configuration: configuration, logger: Self.silent)
        responder = service.router().buildResponder()
    }

    /// The same service with another configuration. It shares the store, so it is still one process. A service with a
    /// store of its own would be another process, and would trust an ended session for half a second more
    /// (``SessionCache``).
    func with(_ change: (inout ServiceConfiguration) -> Void) async throws -> FleetService {
        var configuration = configuration
        change(&configuration)
        return try await FleetService(store: store, pool: pool, configuration)
    }

    func close() async { await pool.close() }

    /// Begins another epoch, as after a restore or a promotion.
    func beginEpoch() async throws {
        try await pool.withConnection { connection in
            _ = try await connection.execute("UPDATE service SET epoch = gen_random_uuid()")
        }
    }

    func respond(_ call: FleetCall) async -> FleetAnswer {
        var headers = HTTPFields()
        if let token = call.token { headers[.authorization] = "Bearer \(token)" }
        if let body = call.body {
            headers[.contentType] = "application/json"
            headers[.contentLength] = String(body.count)
        }
        let request = Request(
            head: HTTPRequest(
                method: call.method, scheme: "http", authority: "fleet", path: call.path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(bytes: call.body ?? [])))
        let context = TrolleyContext(
            source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Self.silent))
        do {
            let response = try await responder.respond(to: request, context: context)
            let body = Collected()
            try await response.body.write(Collector(into: body))
            return FleetAnswer(
                status: response.status.code, body: body.bytes.withLock { $0 },
                retryAfter: response.headers[.retryAfter].flatMap { Int($0) })
        } catch {
            return FleetAnswer(status: 500, body: [], retryAfter: nil)
        }
    }

    private static let silent = Logger(label: "fleet") { _ in SwiftLogNoOpLogHandler() }
}

/// A request, as it goes over the wire.
struct FleetCall: Sendable {
    var method: HTTPRequest.Method
    var path: String
    var token: String?
    var body: [UInt8]?
}

struct FleetAnswer: Sendable {
    var status: Int
    var body: [UInt8]
    var retryAfter: Int?

    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }
}

private final class Collected: Sendable {
    let bytes = Mutex<[UInt8]>([])
}

private struct Collector: ResponseBodyWriter {
    let collected: Collected

    init(into collected: Collected) { self.collected = collected }

    mutating func write(_ buffer: ByteBuffer) async throws {
        collected.bytes.withLock { $0 += Array(buffer: buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
