import Synchronization
public import TrolleyJournal
public import TrolleySync

/// Makes entries for tests, each with an id of its own.
public enum Samples {
    private static let counter = Atomic<UInt64>(0)

    public static func id<ID: Identifier>(_ type: ID.Type = ID.self) -> ID {
        let number = counter.add(1, ordering: .relaxed).newValue
        return .version7(at: Timestamp(milliseconds: 1_800_000_000_000), random: (0, number))
    }

    public static func add(_ text: String, item: ItemID = id(), after: ItemID? = nil) -> JournalEntry {
        JournalEntry(
            id: id(), operation: .add, item: item, after: after, fields: [Fields.text: .string(text)], deviceSequence: 1
        )
    }

    public static func markOff(_ item: ItemID) -> JournalEntry {
        JournalEntry(id: id(), operation: .markOff, item: item, deviceSequence: 1)
    }

    /// The time `milliseconds` after the beginning of the test.
    public static func time(_ milliseconds: Int64 = 0) -> DeviceTime {
        DeviceTime(boot: "test", uptime: milliseconds, wall: Timestamp(milliseconds: 1_800_000_000_000 + milliseconds))
    }
}
