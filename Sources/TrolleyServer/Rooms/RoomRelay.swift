import Logging
import Synchronization
import TrolleyStore
import TrolleyWire

/// Carries signals about rooms between the processes that serve one database.
///
/// One NOTIFY is under way at a time; what waits meanwhile leaves together in the next one. So signals keep their order,
/// and the lock that NOTIFY takes at commit is taken once for many. Signals are opportunistic: those beyond
/// ``maximumWaitingBytes`` are dropped when the database is slow, and what was said more than ``maximumAge`` ago is worth
/// nothing. Each dropped signal is counted, and the sockets that it would have reached are told that they have missed
/// something.
final class RoomRelay: Sendable {
    /// Bytes of signals that wait for the database.
    static let maximumWaitingBytes = 4 << 20
    /// After that time, what was said is dropped: before it is sent, by this process's clock, and when it arrives, by the
    /// database's.
    static let maximumAge = Duration.seconds(5)

    private struct Waiting {
        let line: String
        /// Whether it is worth nothing later.
        let isLive: Bool
        let since: ContinuousClock.Instant
    }

    private struct State {
        var waiting: [Waiting] = []
        var bytes = 0
        var number: UInt64 = 0

        /// Takes what waits, without what is too old.
        mutating func take(at now: ContinuousClock.Instant) -> (lines: [String], dropped: Int) {
            let lines = waiting.filter { !$0.isLive || now - $0.since <= RoomRelay.maximumAge }.map(\.line)
            let dropped = waiting.count - lines.count
            (waiting, bytes) = ([], 0)
            // The others see from the numbers that something is missing.
            number &+= UInt64(dropped)
            return (lines, dropped)
        }
    }

    private let store: Store
    private let metrics: ServiceMetrics
    private let logger: Logger
    private let process = Secret().text
    private let state = Mutex(State())
    private let gaps = Mutex(SignalGaps())
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
        let now = ContinuousClock.now
        let dropped = state.withLock { state in
            var dropped = 0
            for signal in signals {
                let line = signal.description
                guard state.bytes + line.utf8.count <= Self.maximumWaitingBytes else {
                    dropped += 1
                    continue
                }
                state.bytes += line.utf8.count
                state.waiting.append(Waiting(line: line, isLive: signal.isLive, since: now))
            }
            state.number &+= UInt64(dropped)
            return dropped
        }
        noteDropped(dropped, at: "sending")
        continuation.yield()
    }

    /// Sends what waits, until the task is cancelled.
    func sendWaiting() async {
        var isWorking = true
        for await _ in requests {
            let (payloads, old, fresh) = state.withLock { state in
                let (lines, dropped) = state.take(at: .now)
                let payloads = RoomPayload.pack(
                    lines, from: process, number: &state.number, maximumBytes: RoomSignals.maximumBytes)
                return (payloads, dropped, lines.count)
            }
            noteDropped(old, at: "sending")
            guard !payloads.isEmpty else { continue }
            do {
                try await store.sendRoomSignals(payloads)
                isWorking = true
            } catch {
                noteDropped(fresh, at: "sending")
                // Log once for each series of failures.
                logger.log(
                    level: isWorking ? .warning : .debug, "rooms of several processes are interrupted",
                    metadata: ["error": "\(error)"])
                isWorking = false
            }
        }
    }

    private func noteDropped(_ count: Int, at place: String) {
        if count > 0 { metrics.count(.roomMessagesDropped, by: count, [("at", place)]) }
    }

    /// What the other processes send, until the task is cancelled.
    /// - Parameters:
    ///   - happened: called after each event. Then ``takeReport(at:)`` may have something to report.
    ///   - received: called with the name of the sending process.
    func receive(happened: () -> Void, received: (String, RoomSignal) -> Void) async {
        guard let signals = store.signals?.rooms else { return }
        await signals.receive { event in
            switch event {
            case .connected: gaps.withLock { $0.noteGap() }
            case .alive, .interrupted: break
            case .signal(let payload, let age):
                guard let payload = RoomPayload.unpack(payload, except: process) else { return }
                noteDropped(gaps.withLock { $0.note(payload, at: .now) }, at: "receiving")
                let isOld = age.map { .milliseconds($0) > Self.maximumAge } ?? false
                var old = 0
                for signal in payload.signals {
                    if isOld, signal.isLive { old += 1 } else { received(payload.process, signal) }
                }
                if old > 0 { gaps.withLock { $0.noteGap() } }
                noteDropped(old, at: "receiving")
            }
            happened()
        }
    }

    /// Whether the sockets must be told now that signals may have been lost: after signals arrive for the first time or
    /// again, and when some are missing or too old; at most once in ``SignalGaps/pause``.
    func takeReport(at now: ContinuousClock.Instant) -> Bool { gaps.withLock { $0.takeReport(at: now) } }
}

extension RoomSignal {
    /// Whether it is worth nothing later. The others tell of a state, whose last word counts.
    fileprivate var isLive: Bool { if case .said = self { true } else { false } }
}
