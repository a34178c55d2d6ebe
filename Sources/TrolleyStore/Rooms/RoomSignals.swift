import TrolleyPostgres

/// Signals about rooms between the processes that serve one database, by NOTIFY and LISTEN. They carry what is said in
/// rooms, sealed; nothing is stored in a table.
package struct RoomSignals: Sendable {
    /// What a listening process receives.
    package enum Event: Hashable, Sendable {
        /// Signals arrive from now on. Earlier ones may have been missed.
        case connected
        case signal(String)
        /// Signals don't arrive for now.
        case interrupted
    }

    /// Bytes of one signal: PostgreSQL allows fewer than 8,000 for a NOTIFY.
    package static let maximumBytes = 7900
    private static let channel = "trolley_rooms"

    private let database: PostgresConfiguration

    init(_ database: PostgresConfiguration) { self.database = database }

    /// Signals of all processes, also of this one, until the stream is dropped or its task is cancelled. A reader that
    /// falls behind loses the oldest ones.
    package func events() -> AsyncStream<Event> {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(1024))
        let task = Task {
            for await event in Listener(database).listen([Self.channel]) {
                switch event {
                case .notification(let notification): continuation.yield(.signal(notification.payload))
                case .reconnected: continuation.yield(.connected)
                case .interrupted: continuation.yield(.interrupted)
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return events
    }
}

extension ChangeSignals {
    /// Signals about rooms, on a connection of their own.
    package var rooms: RoomSignals { RoomSignals(database) }
}
