import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// The service on a real port and a database of its own.
struct TestService: Sendable {
    let port: Int
    let pool: Pool
    let service: TrolleyServer.Service
    let group: ServiceGroup

    var url: String { "http://127.0.0.1:\(port)" }

    static let migrated = TestTemplate(name: "migrated") { url in
        let pool = Pool(try Store.configuration(url))
        try await Migrator(pool: pool).migrate()
        await pool.close()
    }

    static func with(
        limits: Limits = Limits(), registration: Registration = .open, connections: Int = 3,
        sessionIdle: Int64? = nil, log: Logger = .none, reading: ReadingLimits = ReadingLimits(),
        configure: (inout ServiceConfiguration) -> Void = { _ in }, _ body: (TestService) async throws -> Void
    ) async throws {
        try await withTestDatabase(migrated) { url in
            var options = Pool.Options()
            options.maximumConnections = connections
            options.acquireTimeout = .seconds(120)
            try await with(
                Pool(try Store.configuration(url).holdingLocks(), options: options), limits: limits,
                registration: registration, sessionIdle: sessionIdle, log: log, reading: reading, configure: configure,
                body)
        }
    }

    /// Runs the service on a migrated database; closes the pool in the end.
    /// - Parameters:
    ///   - isOneOfSeveral: whether other processes serve the same database.
    ///   - signalling: how the service listens to other processes; nil: at the pool's address.
    static func with(
        _ pool: Pool, limits: Limits = Limits(), registration: Registration = .open, sessionIdle: Int64? = nil,
        isOneOfSeveral: Bool = false, signalling: ChangeSignals? = nil, log: Logger = .none,
        reading: ReadingLimits = ReadingLimits(), configure: (inout ServiceConfiguration) -> Void = { _ in },
        _ body: (TestService) async throws -> Void
    ) async throws {
        do {
            var configuration = ServiceConfiguration(
                version: "0.0.0", limits: limits,
                // The cheapest scrypt parameters, because the tests don't measure its cost.
                passwordCost: .weak, registration: registration)
            // A test of something immediate must not pass because of a timer, nor fail because of one on a busy machine.
            configuration.pollInterval = .seconds(3600)
            configuration.roomPresenceInterval = .seconds(3600)
            configuration.roomUncheckedLimit = .seconds(3600)
            configuration.socketPingInterval = .seconds(3600)
            configure(&configuration)
            let service = try await TrolleyServer.Service(
                store: Store(
                    pool: pool, reading: reading, sessionIdle: sessionIdle,
                    signals: isOneOfSeveral ? signalling ?? patientSignals(pool) : nil),
                configuration: configuration, logger: log)
            try await run(service, pool: pool, logger: log, body)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// On a busy machine a signal may come late. The process must not take that for silence, and connect again.
    private static func patientSignals(_ pool: Pool) -> ChangeSignals {
        ChangeSignals(pool.configuration, probe: Listener.Probe(patience: .seconds(120)))
    }

    private static func run(
        _ service: TrolleyServer.Service, pool: Pool, logger: Logger, _ body: (TestService) async throws -> Void
    ) async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = service.application(host: "127.0.0.1", port: 0, logger: logger) { listening.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            if let port = await iterator.next() {
                do {
                    try await body(TestService(port: port, pool: pool, service: service, group: group))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await group.triggerGracefulShutdown()
            }
            try await tasks.waitForAll()
        }
    }
}

extension ServiceConfiguration {
    /// From now on no time passes for rate limits. On a busy machine a minute's share would grow again within a test.
    mutating func stopRateClock() {
        let now = ContinuousClock.now
        rateClock = { now }
    }
}

extension Logger {
    /// A log that nobody reads.
    static var none: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

/// The service's answer.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension TestService {
    /// It waits long for answers, because a busy machine takes long for some.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(120), read: .seconds(300))
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Parameter token: a bearer token.
    @discardableResult
    func call(
        _ method: String, _ path: String, token: String? = nil, body: [UInt8]? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = .init(rawValue: method)
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await Self.client.execute(request, timeout: .seconds(300))
        let bytes = try await response.body.collect(upTo: 64 << 20)
        return Answer(
            status: Int(response.status.code),
            headers: Dictionary(
                response.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first }),
            body: Array(bytes.readableBytesView))
    }

    @discardableResult
    func call(
        _ method: String, _ path: String, token: String? = nil, json: String
    ) async throws -> Answer {
        try await call(method, path, token: token, body: Array(json.utf8))
    }

    /// Waits until the service says that it is ready. On a busy machine its database may take longer than the second that a
    /// check waits.
    func expectReady(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("the service is ready", sourceLocation: sourceLocation) {
            try await call("GET", "/readyz").text
        } until: {
            $0 == #"{"status":"ready"}"#
        }
    }
}
