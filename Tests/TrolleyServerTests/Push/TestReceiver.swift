import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// A request that a push service or a webhook got.
struct ReceivedRequest: Sendable {
    let path: String
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    var id: String { headers["webhook-id"] ?? "" }
}

/// An HTTP server on loopback that stands for push services and webhooks.
struct TestReceiver: Sendable {
    /// What it has got, and what it is still answering.
    final class Log: Sendable {
        private let state = Mutex<(all: [ReceivedRequest], open: [String: Int], mostOpen: [String: Int])>(
            ([], [:], [:]))

        var all: [ReceivedRequest] { state.withLock(\.all) }

        func at(_ path: String) -> [ReceivedRequest] { all.filter { $0.path.hasPrefix(path) } }
        /// The requests that are being answered.
        func open(at path: String) -> Int { state.withLock { $0.open[path] ?? 0 } }
        /// The most requests that were answered at the same time.
        func mostOpen(at path: String) -> Int { state.withLock { $0.mostOpen[path] ?? 0 } }

        fileprivate func begin(_ request: ReceivedRequest) -> Int {
            state.withLock { state in
                let earlier = state.all.count { $0.path == request.path }
                state.all.append(request)
                state.open[request.path, default: 0] += 1
                state.mostOpen[request.path] = max(
                    state.mostOpen[request.path] ?? 0, state.open[request.path] ?? 0)
                return earlier
            }
        }

        fileprivate func end(_ request: ReceivedRequest) {
            state.withLock { $0.open[request.path, default: 0] -= 1 }
        }
    }

    let port: Int
    let log: Log

    /// Doesn't answer.
    static func hang() async throws {
        // Sleeps: an endpoint that hangs.
        try await Task.sleep(for: .seconds(3600))
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// - Parameters:
    ///   - answer: returns the status, and headers; gets the number of earlier requests to the same path.
    ///   - endless: whether the bodies of its answers never end.
    static func with(
        endless: Bool = false,
        answering answer: @escaping @Sendable (ReceivedRequest, Int) async throws -> (Int, [String: String]) = { _, _ in
            (201, [:])
        }, _ body: @escaping @Sendable (TestReceiver) async throws -> Void
    ) async throws {
        let log = Log()
        let router = Router()
        router.post("**") { request, _ -> Response in
            let bytes = Array(buffer: try await request.body.collect(upTo: 1 << 20))
            let received = ReceivedRequest(
                path: request.uri.path,
                headers: Dictionary(
                    request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first }),
                body: bytes)
            let earlier = log.begin(received)
            defer { log.end(received) }
            let (status, headers) = try await answer(received, earlier)
            var fields = HTTPFields()
            for (name, value) in headers { if let name = HTTPField.Name(name) { fields[name] = value } }
            guard endless else { return Response(status: .init(code: status), headers: fields) }
            let body = ResponseBody { writer in
                while true {
                    try await writer.write(ByteBuffer(string: "x"))
                    // Sleeps: an answer without an end, a byte at a time.
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            return Response(status: .init(code: status), headers: fields, body: body)
        }
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) }, logger: Logger.none)
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: Logger.none))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                do { try await group.run() } catch is CancellationError {}
            }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else { return }
            defer { tasks.cancelAll() }
            try await body(TestReceiver(port: port, log: log))
        }
    }
}
