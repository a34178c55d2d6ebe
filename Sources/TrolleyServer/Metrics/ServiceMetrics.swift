import Metrics
import Synchronization
import TrolleyStore
import TrolleyWire

/// The service's metrics, with each name in one place.
struct ServiceMetrics: Sendable {
    let registry: PrometheusRegistry
    /// For the operator's page, which has no Prometheus.
    let requestHistory = RequestHistory()
    private let handles = Handles()

    init(_ registry: PrometheusRegistry = PrometheusRegistry()) {
        self.registry = registry
        for name in Name.allCases { registry.describe(name.rawValue, name.help) }
    }

    enum Name: String, CaseIterable {
        case requests = "trolley_http_requests_total"
        case requestSeconds = "trolley_http_request_seconds"
        case connections = "trolley_http_connections"
        case connectionsRefused = "trolley_http_connections_refused_total"
        case connectionsEnded = "trolley_http_connections_ended_total"
        case limited = "trolley_rate_limited_total"
        case databaseConnections = "trolley_database_connections"
        case databaseWaiting = "trolley_database_waiting"
        case databaseMaximum = "trolley_database_connections_maximum"
        case databaseClass = "trolley_database_class_connections"
        case databaseClassWaiting = "trolley_database_class_waiting"
        case databaseClassReserve = "trolley_database_class_reserve"
        case databaseClassMaximum = "trolley_database_class_maximum"
        case uploads = "trolley_upload_entries"
        case verdicts = "trolley_upload_verdicts_total"
        case uploadsWaiting = "trolley_uploads_waiting"
        case deviceQueues = "trolley_device_queue_entries"
        case compressions = "trolley_compression_runs_total"
        case discarded = "trolley_compression_discarded_total"
        case compressionSeconds = "trolley_compression_seconds"
        case compressionBacklog = "trolley_compression_backlog"
        case backfillLists = "trolley_backfill_lists"
        case backfillListsDone = "trolley_backfill_lists_done"
        case streams = "trolley_event_streams"
        case sockets = "trolley_sockets"
        case rooms = "trolley_rooms"
        case roomMessages = "trolley_room_messages_total"
        case roomMessagesDropped = "trolley_room_messages_dropped_total"
        case hints = "trolley_event_hints_total"
        case rechecks = "trolley_event_looks_total"
        case summaries = "trolley_summaries_total"
        case deliveries = "trolley_deliveries_total"
        case hashes = "trolley_password_hash_seconds"
        case hashesWaiting = "trolley_password_hashes_waiting"
        case diskFree = "trolley_disk_free_bytes"
        case diskTotal = "trolley_disk_bytes"
        case changesRefused = "trolley_changes_refused"
        case reportsLost = "trolley_device_reports_lost_total"
        case mails = "trolley_mails_total"
        case epoch = "trolley_epoch_info"
        case build = "trolley_build_info"

        var help: String {
            switch self {
            case .requests: "Responses, by route and status."
            case .requestSeconds: "Time until the response begins."
            case .connections: "Open connections."
            case .connectionsRefused: "Connections refused because of a limit."
            case .connectionsEnded: "Connections and streams ended because the client was too slow."
            case .limited: "Requests refused by a limit, by the limit."
            case .databaseConnections: "Connections to the database, in use or idle."
            case .databaseWaiting: "Requests that wait for a connection to the database."
            case .databaseMaximum: "Maximum connections to the database."
            case .databaseClass: "Connections to the database in use, by the class of work."
            case .databaseClassWaiting: "Requests that wait for a connection to the database, by the class of work."
            case .databaseClassReserve: "Connections to the database that only this class of work can take."
            case .databaseClassMaximum: "Maximum connections to the database, by the class of work."
            case .uploads: "Entries in an upload."
            case .verdicts: "Uploaded entries, by verdict."
            case .uploadsWaiting: "Uploads that wait to be appended by this process."
            case .deviceQueues: "Entries in devices' queues, as reported within a day."
            case .compressions: "Lists that were examined for compression."
            case .discarded: "Entries that compression removed from journals."
            case .compressionSeconds: "Time to compress a list."
            case .compressionBacklog: "Lists that were due in the last round of compression."
            case .backfillLists: "Lists when a backfill began, by the backfill; set by the process that leads."
            case .backfillListsDone: "Lists that a backfill has done, by the backfill; set by the process that leads."
            case .streams: "Open event streams."
            case .sockets: "Open sockets."
            case .rooms: "Rooms with a socket at this process."
            case .roomMessages: "Messages said in rooms by sockets of this process."
            case .roomMessagesDropped:
                "Signals about rooms that were dropped, by where: sending, receiving, a room's budget, or a socket whose client doesn't read."
            case .hints: "Hints to devices about uploads to this process."
            case .rechecks: "Comparisons of event streams with the database."
            case .summaries: "Summaries for people, by this process."
            case .deliveries: "Attempts to deliver notices to push services and webhooks, by outcome."
            case .hashes: "Time to hash a password, without the time in the queue."
            case .hashesWaiting: "Queued password hashes."
            case .diskFree: "Free bytes on the database's disk, if it is on this machine."
            case .diskTotal: "Size in bytes of the database's disk, if it is on this machine."
            case .changesRefused: "1 while changes are refused because the database's disk is full."
            case .reportsLost: "Devices' queue reports that could not be stored."
            case .mails: "Mails, by outcome."
            case .epoch: "The epoch that change tokens are bound to."
            case .build: "The service's version."
            }
        }
    }

    func count(_ name: Name, by amount: Int = 1, _ labels: [(String, String)] = []) {
        handles.counters.handle(name, labels) { Counter(label: name.rawValue, dimensions: labels, factory: registry) }
            .increment(by: amount)
    }

    func gauge(_ name: Name, _ value: Int, _ labels: [(String, String)] = []) {
        Gauge(label: name.rawValue, dimensions: labels, factory: registry).record(value)
    }

    func time(_ name: Name, _ duration: Duration, _ labels: [(String, String)] = []) {
        handles.timers.handle(name, labels) { Timer(label: name.rawValue, dimensions: labels, factory: registry) }
            .recordNanoseconds(duration.nanoseconds)
    }

    func size(_ name: Name, _ value: Int) {
        handles.recorders.handle(name, []) { Recorder(label: name.rawValue, factory: registry) }.record(value)
    }

    /// A cache of metrics by name and labels. The registry sorts and sanitises labels on each lookup, which is too slow
    /// for each request.
    private final class Handles: Sendable {
        let counters = Known<Counter>()
        let timers = Known<Timer>()
        let recorders = Known<Recorder>()
    }

    private final class Known<Handle: Sendable>: Sendable {
        private struct Key: Hashable {
            let name: Name
            let values: [String]
        }

        private let handles = Mutex<[Key: Handle]>([:])

        func handle(_ name: Name, _ labels: [(String, String)], make: () -> Handle) -> Handle {
            // All uses of a name have the same labels in the same order.
            let key = Key(name: name, values: labels.map(\.1))
            return handles.withLock { handles in
                if let handle = handles[key] { return handle }
                let handle = make()
                // The registry is bounded, too: series beyond its limit count nothing.
                if handles.count < PrometheusRegistry.seriesPerFamily { handles[key] = handle }
                return handle
            }
        }
    }

    // MARK: Values read when Prometheus scrapes

    func note(_ connections: ConnectionStatistics) {
        gauge(.databaseConnections, connections.inUse, [("state", "inUse")])
        gauge(.databaseConnections, connections.idle, [("state", "idle")])
        gauge(.databaseWaiting, connections.waiting)
        gauge(.databaseMaximum, connections.maximum)
        for each in connections.classes {
            let label = [("class", each.name)]
            gauge(.databaseClass, each.inUse, label)
            gauge(.databaseClassWaiting, each.waiting, label)
            gauge(.databaseClassReserve, each.reserve, label)
            gauge(.databaseClassMaximum, each.maximum, label)
        }
    }

    func note(_ results: [UploadResult]) {
        size(.uploads, results.count)
        for (verdict, number) in results.verdicts {
            count(.verdicts, by: number, [("status", verdict.status.rawValue), ("code", verdict.code?.rawValue ?? "")])
        }
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
