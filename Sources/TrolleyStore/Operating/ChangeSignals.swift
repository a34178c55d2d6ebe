public import TrolleyPostgres

/// How the processes that serve one database tell each other that something has changed: NOTIFY and LISTEN. A signal says
/// no more than that; what has changed stands in the database.
public struct ChangeSignals: Sendable {
    /// What a process hears.
    public enum Event: Hashable, Sendable {
        /// Signals are heard from now on. What was changed before may have been missed.
        case connected
        /// Another process has changed something.
        case changed
        /// Signals are not heard for now. The connection is tried again, after longer and longer pauses.
        case interrupted(reason: String)
    }

    private static let channel = "trolley_changes"

    private let database: PostgresConfiguration

    /// - Parameter database: where to listen. A pooler in transaction mode would forget who listens.
    public init(_ database: PostgresConfiguration) {
        self.database = database
    }

    /// What others tell, until the stream is dropped or its task cancelled.
    /// - Parameter name: the name under which this process tells; its own signals are left out.
    public func events(except name: String) -> AsyncStream<Event> {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(16))
        let task = Task {
            for await event in Listener(database).listen([Self.channel]) {
                switch event {
                case .notification(let notification) where notification.payload == name: continue
                case .notification: continuation.yield(.changed)
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
