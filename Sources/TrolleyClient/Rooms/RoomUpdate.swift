public import TrolleyJournal
public import TrolleySync

/// News from a list's room.
public enum RoomUpdate: Hashable, Sendable {
    /// What the others do now. Empty when the room is not live.
    case view(RoomView)
    /// The journal has news: sync.
    case fetch
    /// Somebody else marks off an item that this person has just marked off.
    case doubleBuy(ItemID, by: AccountID)
}
