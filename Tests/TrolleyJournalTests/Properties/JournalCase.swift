import TrolleyJournal

/// A random journal, with the inputs that a property needs to test it.
struct JournalCase: Sendable {
    /// In stream order.
    var entries: [ConfirmedEntry]
    /// The number of last entries that are appended after compression.
    var appended: Int
    var cutOff: Timestamp
    /// The seed of other random choices: page boundaries, interleavings.
    var seed: UInt64

    var before: [ConfirmedEntry] { Array(entries.dropLast(min(appended, entries.count))) }
    var after: [ConfirmedEntry] { Array(entries.suffix(min(appended, entries.count))) }
}

extension JournalCase {
    /// A small and nasty journal: few items, few moments, several devices, all kinds of anchors.
    static func random(seed: UInt64) -> JournalCase {
        var random = SeededGenerator(seed: seed)
        // Few: they take as long as many others.
        let isReacting = seed % 100 == 37
        let count = isReacting ? 60 + random.below(40) : 1 + random.below(random.oneIn(8) ? 40 : 16)
        var making = JournalMaking(
            items: 1 + random.below(6), moments: 1 + random.below(24), finishing: random.oneIn(2),
            talking: random.oneIn(3), reacting: isReacting)
        let entries = (1...count).map { making.entry(number: $0, &random) }
        let received = entries.map(\.receivedAt)
        return JournalCase(
            entries: entries, appended: random.below(min(count, 6) + 1),
            cutOff: random.oneIn(3) ? Timestamp(milliseconds: .max) : random.pick(received), seed: random.next())
    }
}

/// Creates the entries one by one.
struct JournalMaking {
    var items: Int
    /// The operations. Some lists have more finished items than others.
    var operations: [Operation]
    /// All entries are made within few milliseconds, so that many have the same time.
    var moments: Int
    /// Mostly one person's reactions to one message, more than it shows.
    var reacting: Bool
    private var clock: Int64 = 1_000
    private var counters: [Int64] = [0, 0, 0, 0, 0]

    init(items: Int, moments: Int, finishing: Bool, talking: Bool, reacting: Bool = false) {
        self.reacting = reacting
        self.items = items
        operations =
            JournalMaking.operations + (finishing ? [.markOff, .markOff, .markOff, .delete, .delete] : [])
            + (talking ? JournalMaking.talk : [])
        self.moments = moments
    }

    mutating func entry(number: Int, _ random: inout SeededGenerator) -> ConfirmedEntry {
        clock += Int64(random.below(3))
        let device = reacting && !random.oneIn(12) ? 1 : 1 + random.below(3)
        counters[device] += 1
        let entry =
            reacting && !random.oneIn(20)
            ? reaction(number: number, counter: counters[device], &random)
            : change(number: number, counter: counters[device], &random)
        // Most entries are recent. Some are old, from a device that was offline.
        let age = random.oneIn(3) ? Int64(random.below(moments)) : 0
        // A server's clock may step back.
        let received = clock - (random.oneIn(12) ? 3 : 0)
        return ConfirmedEntry(
            entry: entry, sequence: SequenceNumber(rawValue: Int64(number)), author: .sample(device),
            device: .sample(device), madeAt: Timestamp(milliseconds: received - age),
            receivedAt: Timestamp(milliseconds: received))
    }

    private func change(number: Int, counter: Int64, _ random: inout SeededGenerator) -> JournalEntry {
        let operation = random.pick(operations)
        var entry = JournalEntry(id: .sample(number), operation: operation, deviceSequence: counter)
        if operation.concernsItem {
            // An entry without an item is invalid and must have no effect.
            if !random.oneIn(60) { entry.item = .sample(1 + random.below(items)) }
            if operation.places { entry.after = anchor(&random) }
        }
        if operation == .add || operation == .edit { entry.fields = fields(&random) }
        if operation.concernsList { entry.fields = names(&random) }
        if operation.concernsMessages { talk(in: &entry, number: number, &random) }
        if random.oneIn(5) { entry.batch = .sample(number / 3) }
        return entry
    }

    private func reaction(number: Int, counter: Int64, _ random: inout SeededGenerator) -> JournalEntry {
        let operation: Operation = number == 2 ? .message : random.oneIn(12) ? .unreact : .react
        var entry = JournalEntry(id: .sample(number), operation: operation, deviceSequence: counter)
        entry.fields[Fields.text] = .string("\(random.below(50))")
        if operation != .message { entry.fields[Fields.message] = .string(EntryID.sample(2).description) }
        return entry
    }

    private static let operations: [Operation] = [
        .add, .add, .add, .edit, .edit, .markOff, .markOff, .unmark, .move, .move, .move, .delete, .delete,
        .renameList, .recolourList,
    ]

    private static let talk: [Operation] = [
        .message, .message, .message, .message, .react, .react, .react, .unreact, .unreact, .deleteMessage, .pin,
        .unpin,
        .unknown,
    ]

    private func talk(in entry: inout JournalEntry, number: Int, _ random: inout SeededGenerator) {
        if entry.operation == .message {
            if random.oneIn(3) { entry.item = .sample(1 + random.below(items)) }
            // An entry without what it needs is invalid and must have no effect.
            if !random.oneIn(20) { entry.fields[Fields.text] = .string(random.pick(["hello", "which milk?"])) }
            return
        }
        // Most entries are about an earlier entry, which may be a message; some about a later one.
        let message = random.oneIn(12) ? number + random.below(4) : 1 + random.below(number)
        if !random.oneIn(20) { entry.fields[Fields.message] = .string(EntryID.sample(message).description) }
        if !random.oneIn(20) { entry.fields[Fields.text] = .string(random.pick(["+", "\u{E9}", "e\u{301}"])) }
    }

    private func anchor(_ random: inout SeededGenerator) -> ItemID? {
        if random.oneIn(5) { return nil }
        // One more item than there are. No entry adds it.
        return .sample(1 + random.below(items + 1))
    }

    private func fields(_ random: inout SeededGenerator) -> Fields {
        var fields = Fields()
        if !random.oneIn(4) { fields[Fields.text] = value(&random) }
        if random.oneIn(4) { fields[Fields.note] = value(&random) }
        if random.oneIn(12) { fields["zz"] = .json("[1]") }
        if random.oneIn(20) { fields[Fields.text] = .json("7") }
        return fields
    }

    private func names(_ random: inout SeededGenerator) -> Fields {
        var fields = Fields()
        if !random.oneIn(4) { fields[Fields.text] = random.oneIn(9) ? .json("{}") : value(&random) }
        if random.oneIn(4) { fields["name"] = value(&random) }
        if random.oneIn(4) { fields["colour"] = value(&random) }
        if random.oneIn(3) { fields["aisles"] = value(&random) }
        if random.oneIn(3) {
            let key = random.pick(["aisles:a", "aisles:A", "aisles:", "renamedAisles", "later"])
            fields[key] = random.oneIn(9) ? .json("[]") : value(&random)
        }
        return fields
    }

    private func value(_ random: inout SeededGenerator) -> FieldValue {
        random.oneIn(6) ? .null : .string(random.pick(["a", "b", "", "\u{E9}", "e\u{301}", "ab"]))
    }
}
