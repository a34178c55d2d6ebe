import Logging
import ServiceLifecycle
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

/// The service on a database, on a port.
struct ServedDatabase {
    let port: Int

    var address: String { "http://127.0.0.1:\(port)" }

    /// - Parameters:
    ///   - port: 0: a free one, which stays free while no service has it.
    ///   - isOneOfSeveral: whether other services serve the same database.
    static func run(
        _ url: String, port: Int = 0, limits: Limits = Limits(), isOneOfSeveral: Bool = false,
        _ body: (ServedDatabase) async throws -> Void
    ) async throws {
        let port = port == 0 ? try FreePort.find() : port
        // Long even on a busy machine, as the time for which a signal may be under way.
        let patience = Duration.seconds(120)
        var options = Pool.Options()
        options.acquireTimeout = patience
        let pool = Pool(try Store.configuration(url), options: options)
        try await Migrator(pool: pool).migrate()
        let signals = ChangeSignals(pool.configuration, probe: Listener.Probe(patience: patience))
        let logger = Logger(label: "fleet") { _ in SwiftLogNoOpLogHandler() }
        let service = try await TrolleyServer.Service(
            store: Store(pool: pool, signals: isOneOfSeveral ? signals : nil),
            configuration: ServiceConfiguration(
                version: "0.0.0", limits: limits,
                passwordCost: .weak),
            logger: logger)
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = service.application(host: "127.0.0.1", port: port, logger: logger) { listening.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { listening.finish() }
                    try await group.run()
                }
                var iterator = ports.makeAsyncIterator()
                if let port = await iterator.next() {
                    do { try await body(ServedDatabase(port: port)) } catch {
                        await group.triggerGracefulShutdown()
                        throw error
                    }
                    await group.triggerGracefulShutdown()
                }
                try await tasks.waitForAll()
            }
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }
}
