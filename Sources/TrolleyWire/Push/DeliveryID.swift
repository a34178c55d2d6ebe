public import TrolleyJournal

/// A notice for one push subscription or webhook. It stays the same in all attempts.
public struct DeliveryID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}
