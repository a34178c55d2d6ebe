import Logging
import Synchronization
import TrolleyStore
import TrolleyWire

/// Carries signals about rooms between the processes that serve one database.
///
/// One NOTIFY is under way at a time; what waits meanwhile leaves together in the next one. So signals keep their order,
/// and the lock that NOTIFY takes at commit is taken once for many. When the database is slow, signals beyond
/// ``maximumWaitingBytes`` are dropped: they are opportunistic.
final class RoomRelay: Sendable {
    /// Bytes of signals that wait for the database.
    static let maximumWaitingBytes = 4 << 20

    private struct State {
        var waiting: [String] = []
        var bytes = 0
        var number: UInt64 = 0
    }

    private let store: Store
    private let metrics: ServiceMetrics
    private let logger: Logger
    private let process = Secret().text
    private let state = Mutex(State())
    private let (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(store: Store, metrics: ServiceMetrics, logger: Logger) {
        self.store = store
        self.metrics = metrics
        self.logger = logger
    }

    /// Whether other processes may serve the database.
    var hasOthers: Bool { store.signals != nil }

    func send(_ signals: [RoomSignal]) {
        guard hasOthers, !signals.isEmpty else { return }
        let lines = signals.map(\.description)
        let dropped = state.withLock { state in
            var dropped = 0
            for line in lines {
                guard state.bytes + line.utf8.count <= Self.maximumWaitingBytes else {
                    dropped += 1
                    continue
                }
                state.bytes += line.utf8.count
                state.waiting.append(line)
            }
            return dropped
        }
        if dropped > 0 { metrics.count(.roomMessagesDropped, by: dropped) }
        continuation.yield()
    }

    /// Sends what waits, until the task is cancelled.
    func sendWaiting() async {
        var isWorking = true
        for await _ in requests {
            let payloads = state.withLock { state in
                defer { (state.waiting, state.bytes) = ([], 0) }
                return RoomPayload.pack(
                    state.waiting, from: process, number: &state.number, maximumBytes: RoomSignals.maximumBytes)
            }
            guard !payloads.isEmpty else { continue }
            do {
                try await store.sendRoomSignals(payloads)
                isWorking = true
            } catch {
                // Log once for each series of failures.
                logger.log(
                    level: isWorking ? .warning : .debug, "rooms of several processes are interrupted",
                    metadata: ["error": "\(error)"])
                isWorking = false
            }
        }
    }

    /// What the other processes send, until the task is cancelled.
    /// - Parameters:
    ///   - connected: called when signals arrive from then on, for the first time or again.
    ///   - received: called with the name of the sending process.
    func receive(connected: () -> Void, received: (String, RoomSignal) -> Void) async {
        guard let signals = store.signals?.rooms else { return }
        for await event in signals.events() {
            switch event {
            case .connected: connected()
            case .interrupted: break
            case .signal(let payload):
                guard let (sender, signals) = RoomPayload.unpack(payload), sender != process else { continue }
                for signal in signals { received(sender, signal) }
            }
        }
    }
}
