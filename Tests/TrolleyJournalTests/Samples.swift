import TrolleyJournal

// Small identifiers, so that a printed journal can be read.

extension Identifier {
    /// The identifier whose text ends in this number.
    static func sample(_ number: Int) -> Self {
        Self(UUIDBits(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)))
    }

    /// The number from which the identifier was made.
    var number: Int { Int(bits.low & 0xFFFF_FFFF) }
}

extension ConfirmedEntry {
    /// An entry whose id and sequence is `number`; made and received at that second, unless said otherwise.
    static func sample(
        _ number: Int, _ operation: Operation, _ item: Int? = nil, after: Int? = nil, _ fields: Fields = [:],
        device: Int = 1, batch: Int? = nil, madeAt: Int? = nil, receivedAt: Int? = nil
    ) -> ConfirmedEntry {
        ConfirmedEntry(
            entry: JournalEntry(
                id: .sample(number), operation: operation, item: item.map { .sample($0) },
                after: after.map { .sample($0) }, fields: fields, batch: batch.map { .sample($0) },
                deviceSequence: Int64(number)),
            sequence: SequenceNumber(rawValue: Int64(number)), author: .sample(device), device: .sample(device),
            madeAt: .seconds(madeAt ?? number), receivedAt: .seconds(receivedAt ?? number))
    }
}

extension Timestamp {
    static func seconds(_ seconds: Int) -> Timestamp { Timestamp(milliseconds: Int64(seconds) * 1000) }
}
