/// Orders changes: by the time when they were made and, in the same millisecond, by their order in the stream.
struct Stamp: Hashable, Comparable, Sendable {
    var madeAt: Timestamp
    var sequence: SequenceNumber

    static func < (left: Stamp, right: Stamp) -> Bool {
        if SeededFault.isSeeded(.lastArrivalWins) { return left.sequence < right.sequence }
        if SeededFault.isSeeded(.tiesAreNotBroken) { return left.madeAt < right.madeAt }
        return left.madeAt == right.madeAt ? left.sequence < right.sequence : left.madeAt < right.madeAt
    }
}

/// The latest decision about one property: the last writer wins, in whatever order entries arrive.
struct Decision<Value: Sendable>: Sendable {
    private(set) var value: Value
    private(set) var stamp: Stamp
    /// The entry that decided.
    private(set) var by: EntryID

    init(_ value: Value, at stamp: Stamp, by entry: EntryID) {
        self.value = value
        self.stamp = stamp
        self.by = entry
    }

    /// Takes the other decision if it is later.
    mutating func merge(_ value: Value, at stamp: Stamp, by entry: EntryID) {
        if self.stamp < stamp { self = Decision(value, at: stamp, by: entry) }
    }
}

extension Optional {
    /// Takes a decision if there is none yet or it is later.
    mutating func merge<Value: Sendable>(_ value: Value, at stamp: Stamp, by entry: EntryID)
    where Wrapped == Decision<Value> {
        if self == nil {
            self = Decision(value, at: stamp, by: entry)
        } else {
            self?.merge(value, at: stamp, by: entry)
        }
    }
}
