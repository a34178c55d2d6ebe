// The order in which purchases and entries were made. It depends on the entries alone, not on their order of arrival.

extension Purchase {
    /// Whether this purchase was made before the other.
    func precedes(_ other: Purchase) -> Bool {
        if at != other.at { return at < other.at }
        return number == other.number ? entry < other.entry : number < other.number
    }

    /// Whether an entry was made before this purchase, or is its mark. The list after a pick of a trip is folded from these
    /// entries.
    package func comes(after entry: JournalEntry, madeAt: Timestamp) -> Bool {
        if entry.id == self.entry { return true }
        if madeAt != at { return madeAt < at }
        return entry.deviceSequence == number ? entry.id < self.entry : entry.deviceSequence < number
    }
}
