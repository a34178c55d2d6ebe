import Hummingbird
import Logging
import NIOCore
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// What operators and their tools ask for, and what a device asks first.
struct OperationRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let hasher: PasswordHasher
    let connections: ConnectionCount
    let disk: DiskWatch
    let metrics: ServiceMetrics
    let configuration: ServiceConfiguration

    func add(to router: Router<TrolleyContext>) {
        router.get("v1/config") { _, _ -> Response in
            try Response.json(configuration.response(sessionIdle: store.sessionIdle))
        }
        // Alive: the process answers.
        router.get("healthz") { _, _ -> Response in try Response.json(["status": "ok"]) }
        // Ready: the database answers too, and takes changes.
        router.get("readyz") { _, _ -> Response in
            try await store.ping()
            if disk.isFull { throw Problem(Outage.diskFull) }
            return try Response.json(["status": "ready"])
        }
        router.get("metrics") { _, context -> Response in
            // Whoever may not read it is not told that it is there.
            guard let client = context.client, configuration.metricsFrom.contains(where: { $0.contains(client) }) else {
                throw HTTPError(.notFound)
            }
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: await measured(for: context))))
        }
        router.get("openapi.yaml") { _, _ -> Response in
            Response(
                status: .ok, headers: [.contentType: "application/yaml"],
                body: ResponseBody(byteBuffer: Pages.openapi))
        }
    }

    /// What was counted and measured, with what is only known when somebody asks.
    private func measured(for context: TrolleyContext) async -> String {
        metrics.note(store.connections)
        metrics.gauge(.connections, connections.total)
        metrics.gauge(.streams, hub.streams)
        metrics.gauge(.hashesWaiting, hasher.waiting)
        metrics.gauge(.build, 1, [("version", configuration.version)])
        metrics.gauge(.uploadsWaiting, store.waitingUploads)
        if let space = disk.space {
            metrics.gauge(.diskFree, Int(space.free))
            metrics.gauge(.diskTotal, Int(space.total))
        }
        metrics.gauge(.changesRefused, disk.isFull ? 1 : 0)
        // Without its database the service is measured all the same, and says what is missing.
        do throws(StoreError) {
            for waiting in try await store.waitingOnDevices() {
                metrics.gauge(
                    .deviceQueues, waiting.entries, [("queue", waiting.queue), ("operation", waiting.operation)])
            }
            metrics.gauge(.epoch, 1, [("epoch", try await store.epoch().id.description)])
        } catch {
            context.log(.warning, "some metrics could not be read from the database", ["error": "\(error)"])
        }
        return metrics.registry.text
    }
}

/// An answer that is always the same: in memory once, however many connections are slow to read it.
private enum Pages {
    static let openapi = ByteBuffer(bytes: PackageResources.openapi_yaml)
}
