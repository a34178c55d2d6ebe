/// Listens to channels on a connection of its own, and reconnects when it is lost.
///
/// A connection can fall silent without closing: its server process hangs, or the network swallows everything. So the
/// listener notifies itself every few seconds (``Probe``). Without an answer it takes another connection.
public struct Listener: Sendable {
    public enum Event: Hashable, Sendable {
        /// LISTEN is in force, for the first time or again. Earlier notifications may have been missed.
        case reconnected
        case notification(Notification)
        /// A notification to itself has come back. It says what time it was at the server: milliseconds since 1970.
        case probed(serverTime: Int64)
        /// The connection was lost, did not answer a probe, or could not be made. The listener retries with exponential
        /// backoff.
        case interrupted(reason: String)
    }

    /// How a silent connection is noticed: after at most `interval` and `patience` together.
    public struct Probe: Hashable, Sendable {
        /// The pause between two notifications to itself.
        public var interval: Duration
        /// How long one may take to come back, and LISTEN to be answered.
        public var patience: Duration

        public init(interval: Duration = .seconds(5), patience: Duration = .seconds(5)) {
            self.interval = interval
            self.patience = patience
        }
    }

    private let configuration: PostgresConfiguration
    private let probe: Probe

    public init(_ configuration: PostgresConfiguration, probe: Probe = Probe()) {
        self.configuration = configuration
        self.probe = probe
    }

    /// Returns a stream that never ends by itself. Listening stops when the stream is dropped or its task is cancelled.
    /// A reader that falls 4,096 events behind loses the oldest events.
    public func listen(_ channels: [String]) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(4096))
        let task = Task {
            var backoff = Backoff()
            while !Task.isCancelled {
                do {
                    let session = try await PostgresSession.connect(configuration)
                    try await listen(channels, on: session, &backoff) { continuation.yield($0) }
                } catch {
                    if Task.isCancelled { break }
                    continuation.yield(.interrupted(reason: "\(error)"))
                    try? await Task.sleep(for: backoff.next(random: .random(in: 0..<1)))
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Listens until the connection fails. Nothing is reported before the first probe has come back: behind a pooler that
    /// doesn't keep LISTEN, none does.
    private func listen(
        _ channels: [String], on session: PostgresSession, _ backoff: inout Backoff, _ report: (Event) -> Void
    ) async throws {
        let own = "trolley_probe_\(UInt64.random(in: .min ... .max))"
        _ = try await session.run((channels + [own]).map(Self.listen), timeout: probe.patience)
        var isConnected = false
        while true {
            let serverTime = try await session.notify(own, timeout: probe.patience)
            let deadline = ContinuousClock.now + probe.patience
            var next = ContinuousClock.now + probe.interval
            var isBack = false
            while !isBack || ContinuousClock.now < next {
                let arrived = try await session.notifications(until: isBack ? next : deadline)
                if !isBack {
                    isBack = arrived.contains { $0.channel == own }
                    if !isBack, ContinuousClock.now >= deadline { throw Self.unanswered }
                    if isBack {
                        if !isConnected { report(.reconnected) }
                        isConnected = true
                        backoff.reset()
                        // Before what came with it, whose age it tells.
                        report(.probed(serverTime: serverTime))
                        next = ContinuousClock.now + probe.interval
                    }
                }
                guard isConnected else { continue }
                for notification in arrived where notification.channel != own { report(.notification(notification)) }
            }
        }
    }

    private static var unanswered: PostgresError {
        PostgresError(.connectionLost, "the connection doesn't pass notifications on, or no longer")
    }

    private static func listen(_ channel: String) -> Query {
        Query(
            unescaped:
                "LISTEN \"\(channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        )
    }
}

extension PostgresSession {
    /// Sends a notification without a payload.
    /// - Returns: the server's time, in milliseconds since 1970.
    fileprivate func notify(_ channel: String, timeout: Duration) async throws(PostgresError) -> Int64 {
        let query: Query = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
            FROM pg_notify(\(channel), '')
            """
        let rows = try await run([query], timeout: timeout)
        return try rows[0][0].decode(Int64.self, at: 0)
    }
}
