public import TrolleyJournal

/// Names a summary of an account.
public struct SummaryPosition: Hashable, Sendable, Codable {
    public var list: ListID
    public var through: SequenceNumber

    public init(list: ListID, through: SequenceNumber) {
        self.list = list
        self.through = through
    }
}
