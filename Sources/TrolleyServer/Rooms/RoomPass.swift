import TrolleyJournal
import TrolleyWire

/// A verified handshake: the right to enter a room now.
struct RoomPass: Hashable, Sendable {
    let room: RoomAddress
    /// The key that signed it.
    let handshakeKey: [UInt8]
    /// Milliseconds until the room ends.
    let remaining: Int64
    /// Before the database was asked whether the account is on the list.
    let asked: ContinuousClock.Instant
}
