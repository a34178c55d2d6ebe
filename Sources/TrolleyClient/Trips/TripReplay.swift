public import TrolleyJournal

/// A trip, and whether all of it is known.
public struct TripReplay: Hashable, Sendable {
    public var trip: Trip
    /// The devices that may still send marks from before the trip's end; empty: the trip is complete. nil: the service
    /// wasn't asked, or can't be reached.
    public var waitingFor: [WaitingDevice]?
}
