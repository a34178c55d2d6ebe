package import TrolleyPostgres

/// Signals between the processes that serve one database, by NOTIFY and LISTEN. They are hints: a process reads the
/// database to know what holds.
package struct ChangeSignals: Sendable {
    /// What a listening process receives.
    package enum Event: Hashable, Sendable {
        /// Signals arrive from now on. Earlier ones may have been missed.
        case connected
        /// Another process has changed something.
        case changed([ChangeSignal])
        /// Signals don't arrive for now. The connection is retried with growing pauses.
        case interrupted(reason: String)
    }

    private static let channel = "trolley_changes"
    /// Events that wait for a slow reader.
    private static let waiting = 1024

    let database: PostgresConfiguration
    let probe: Listener.Probe

    /// - Parameters:
    ///   - database: where to listen. Not a pooler in transaction mode: it would drop the LISTEN.
    ///   - probe: how a connection is noticed that has fallen silent: by default within ten seconds.
    package init(_ database: PostgresConfiguration, probe: Listener.Probe = Listener.Probe()) {
        self.database = database
        self.probe = probe
    }

    /// Signals of other processes, until the stream is dropped or its task is cancelled. A reader that falls behind is told
    /// that anything may have changed.
    /// - Parameter name: the name under which this process sends; its own signals are left out.
    package func events(except name: String) -> AsyncStream<Event> {
        let (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.waiting))
        let task = Task {
            for await event in Listener(database, probe: probe).listen([Self.channel]) {
                switch event {
                case .notification(let notification):
                    guard let signals = ChangePayload.signals(in: notification.payload, except: name) else { continue }
                    if case .dropped = continuation.yield(.changed(signals)) {
                        continuation.yield(.changed([.everything]))
                    }
                case .probed: continue
                case .reconnected: continuation.yield(.connected)
                case .interrupted(let reason): continuation.yield(.interrupted(reason: reason))
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return events
    }
}
