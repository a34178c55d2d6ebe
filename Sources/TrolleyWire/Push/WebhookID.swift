public import TrolleyJournal

/// A webhook of an account.
public struct WebhookID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}
