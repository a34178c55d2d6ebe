import TrolleyJournal
import TrolleyWire

/// A small and nasty journal: few items, few moments, several devices, all kinds of anchors and texts.
struct RandomJournal {
    private var state: UInt64
    private(set) var entries: [ConfirmedEntry] = []
    private var clock: Int64 = 1_772_000_000_000

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }

    mutating func below(_ bound: Int) -> Int { Int(bits() % UInt64(bound)) }
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    static func item(_ number: Int) -> ItemID { ItemID(UUIDBits(high: 0x1, low: UInt64(number))) }
    static func device(_ number: Int) -> DeviceID { DeviceID(UUIDBits(high: 0x2, low: UInt64(number))) }

    mutating func text() -> String {
        pick([
            "milk", "Milch", "2 l", "", "\u{E9}t\u{E9}", "e\u{301}te", "Straße", "ÅNGSTRÖM", "🧀🏽", "a\"\\\n\u{1}", "İı",
            "שלום",
        ])
    }

    mutating func entry(items: Int, operations: [Operation] = Operation.allCases) -> JournalEntry {
        let operation = pick(operations)
        var entry = JournalEntry(
            id: EntryID(UUIDBits(high: bits(), low: bits())), operation: operation, deviceSequence: 1)
        if operation.concernsItem { entry.item = RandomJournal.item(below(items)) }
        if operation.places, !oneIn(4) { entry.after = RandomJournal.item(below(items + 1)) }
        if operation.writesFields || !operation.concernsItem {
            if !oneIn(5) { entry.fields[Fields.text] = oneIn(6) ? .null : .string(text()) }
            if oneIn(4) { entry.fields[Fields.note] = .string(text()) }
            if oneIn(9) { entry.fields["zz\(text())"] = .json("[1,{\"b\":2.50}]") }
        }
        if operation.concernsMessages { entry.fields[Fields.text] = .string("hello") }
        if operation.namesMessage, !entries.isEmpty {
            entry.fields[Fields.message] = .string(entries[below(entries.count)].entry.id.description)
        }
        if oneIn(4) { entry.batch = BatchID(UUIDBits(high: 3, low: bits() % 3)) }
        if oneIn(8) { entry.cause = .undo }
        return entry
    }

    /// Adds an entry as the service would confirm it.
    mutating func confirm(items: Int) {
        clock += Int64(below(3)) * (oneIn(10) ? 20_000_000 : 1)
        var made = entry(items: items)
        let number = entries.count + 1
        made.deviceSequence = Int64(number)
        // Sequences and times may exceed 32 bits.
        let sequence = SequenceNumber(rawValue: 5_000_000_000 + Int64(number))
        entries.append(
            ConfirmedEntry(
                entry: made, sequence: sequence, author: AccountID(UUIDBits(high: 4, low: 1)),
                device: RandomJournal.device(below(3)),
                madeAt: Timestamp(milliseconds: clock - (oneIn(3) ? Int64(below(9)) : 0)),
                receivedAt: Timestamp(milliseconds: clock)))
    }
}

extension Swift.Sequence<ConfirmedEntry> {
    /// A JSON array.
    var json: String {
        var writer = JSONWriter()
        writer.array { writer in for entry in self { entry.write(to: &writer) } }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A page of changes.
    var changes: String {
        var writer = JSONWriter()
        writer.array { writer in
            for entry in self { Change(sequence: entry.sequence, body: .entry(entry)).write(to: &writer) }
        }
        return #"{"changes":\#(String(decoding: writer.bytes, as: UTF8.self))}"#
    }
}
