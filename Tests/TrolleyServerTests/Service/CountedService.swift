import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import TrolleyPostgres

@testable import TrolleyServer
@testable import TrolleyStore

/// Another process of the same service, without background work: only the handlers run.
struct CountedService: Sendable {
    let pool: Pool
    private let responder: RouterResponder<TrolleyContext>

    static func with(_ other: TestService, _ body: (CountedService) async throws -> Void) async throws {
        var options = Pool.Options()
        options.maximumConnections = 2
        options.acquireTimeout = .seconds(120)
        let pool = Pool(other.pool.configuration, options: options)
        do {
            let service = try await TrolleyServer.Service(
                store: Store(pool: pool), configuration: other.service.configuration, logger: .none)
            try await body(CountedService(pool: pool, responder: service.router().buildResponder()))
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    var roundTrips: Int { pool.statistics.roundTrips }

    func post(_ path: String, _ json: String, _ token: String) async -> Answer {
        let bytes = Array(json.utf8)
        var headers = HTTPFields()
        headers[.authorization] = "Bearer \(token)"
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(bytes.count)
        let request = Request(
            head: HTTPRequest(method: .post, scheme: "http", authority: "test", path: path, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        let context = TrolleyContext(
            source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: .none))
        do {
            let response = try await responder.respond(to: request, context: context)
            let body = CollectedBody()
            try await response.body.write(CollectingWriter(body: body))
            return Answer(status: response.status.code, headers: [:], body: body.bytes.withLock { $0 })
        } catch {
            return Answer(status: 500, headers: [:], body: Array("\(error)".utf8))
        }
    }
}

private final class CollectedBody: Sendable {
    let bytes = Mutex<[UInt8]>([])
}

private struct CollectingWriter: ResponseBodyWriter {
    let body: CollectedBody

    mutating func write(_ buffer: ByteBuffer) async throws {
        body.bytes.withLock { $0 += Array(buffer: buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
