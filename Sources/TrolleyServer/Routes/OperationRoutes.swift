import Hummingbird
import Logging
import NIOCore
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Calls for operators and their tools, and the configuration, which a device reads first.
struct OperationRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let rooms: RoomHub
    let hasher: PasswordHasher
    let connections: ConnectionCount
    let disk: DiskMonitor
    let readiness: ReadinessCheck
    let metrics: ServiceMetrics
    let configuration: ServiceConfiguration

    func add(to router: Router<TrolleyContext>) {
        router.get("v1/config") { _, _ -> Response in
            try Response.json(configuration.response(sessionIdle: store.sessionIdle))
        }
        // Liveness: the process answers.
        router.get("healthz") { _, _ -> Response in try Response.json(["status": "ok"]) }
        // Readiness: the database answers and accepts changes.
        router.get("readyz") { _, _ -> Response in
            try await readiness.check()
            try store.checkWrites()
            if disk.isFull { throw Problem(Outage.diskFull) }
            return try Response.json(["status": "ready"])
        }
        router.get("metrics") { _, context -> Response in
            // Hides the metrics from clients that may not read them.
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

    /// All metrics, including gauges that are read only on request.
    private func measured(for context: TrolleyContext) async -> String {
        metrics.note(store.connections)
        metrics.gauge(.connections, connections.total)
        metrics.gauge(.streams, hub.streams)
        metrics.gauge(.sockets, rooms.sockets)
        metrics.gauge(.rooms, rooms.rooms)
        metrics.gauge(.hashesWaiting, hasher.waiting)
        metrics.gauge(.build, 1, [("version", configuration.version)])
        metrics.gauge(.uploadsWaiting, store.waitingUploads)
        if let space = disk.space {
            metrics.gauge(.diskFree, Int(space.free))
            metrics.gauge(.diskTotal, Int(space.total))
        }
        metrics.gauge(.changesRefused, disk.isFull ? 1 : 0)
        // Without the database the other metrics are still returned.
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

/// A constant response, in memory only once, however many slow clients read it.
private enum Pages {
    static let openapi = ByteBuffer(bytes: PackageResources.openapi_yaml)
}
