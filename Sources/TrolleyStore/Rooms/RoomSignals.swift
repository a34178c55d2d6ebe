import TrolleyPostgres

/// Signals about rooms between the processes that serve one database, by NOTIFY and LISTEN. They carry what is said in
/// rooms, sealed; nothing is stored in a table.
package struct RoomSignals: Sendable {
    /// What a listening process receives.
    package enum Event: Hashable, Sendable {
        /// Signals arrive from now on. Earlier ones may have been missed.
        case connected
        /// - Parameter age: milliseconds since the database sent it, by the database's clock; nil: its sender, of an earlier
        ///   version, doesn't tell. Never too much: what is late by itself is not old.
        case signal(String, age: Int64?)
        /// Signals arrive, or there are none: the connection is alive.
        case alive
        /// Signals don't arrive for now.
        case interrupted
    }

    /// Bytes of one signal: PostgreSQL allows fewer than 8,000 for a NOTIFY, and ``RoomSQL/notify`` adds the time.
    package static let maximumBytes = 7900
    private static let channel = "trolley_rooms"

    private let database: PostgresConfiguration
    private let probe: Listener.Probe

    init(_ database: PostgresConfiguration, probe: Listener.Probe) {
        self.database = database
        self.probe = probe
    }

    /// Passes on the signals of all processes, also of this one, until the task is cancelled. A receiver that falls
    /// behind loses the oldest ones.
    package func receive(_ receive: (Event) -> Void) async {
        var clock: DatabaseClock?
        for await event in Listener(database, probe: probe).listen([Self.channel]) {
            switch event {
            case .notification(let notification):
                let (payload, sentAt) = Self.unstamp(notification.payload)
                let now = clock?.now(at: .now)
                receive(.signal(payload, age: now.flatMap { now in sentAt.map { max(0, now - $0) } }))
            case .probed(let serverTime):
                clock = DatabaseClock(time: serverTime, at: .now)
                receive(.alive)
            case .reconnected: receive(.connected)
            case .interrupted: receive(.interrupted)
            }
        }
    }

    /// Takes the time off that ``RoomSQL/notify`` has put at the end of the first line.
    static func unstamp(_ payload: String) -> (payload: String, sentAt: Int64?) {
        guard let end = payload.firstIndex(of: "\n"), let mark = payload[..<end].lastIndex(of: "@") else {
            return (payload, nil)
        }
        guard let sentAt = Int64(payload[payload.index(after: mark)..<end]) else { return (payload, nil) }
        let head = payload[..<mark]
        return (head.dropLast(head.hasSuffix(" ") ? 1 : 0) + String(payload[end...]), sentAt)
    }
}

/// The database's clock, without trusting that this process's is right: what it showed once, and the time since.
private struct DatabaseClock {
    let time: Int64
    let at: ContinuousClock.Instant

    /// Milliseconds since 1970; too little by the time that the answer took.
    func now(at instant: ContinuousClock.Instant) -> Int64 { time + (instant - at) / .milliseconds(1) }
}

extension Duration {
    fileprivate static func / (duration: Duration, unit: Duration) -> Int64 {
        let quotient: Double = duration / unit
        return Int64(quotient)
    }
}

extension ChangeSignals {
    /// Signals about rooms, on a connection of their own.
    package var rooms: RoomSignals { RoomSignals(database, probe: probe) }
}
