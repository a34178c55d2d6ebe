package import TrolleyJournal
package import TrolleyWire

/// A delivery that this process is to send now. No other process tries it before its lease ends.
package struct ClaimedDelivery: Sendable {
    package let id: DeliveryID
    package let target: PushTarget
    package let list: ListID
    package var notice: Notice
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// By the database's clock.
    package let claimedAt: Timestamp
    /// 1 for the first.
    package let attempt: Int
}
