import TrolleyJournal
import TrolleyWire

/// Messages with all kinds of valid values. The same seed gives the same messages.
struct RandomMessages {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators").
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func bool() -> Bool { next() & 1 == 0 }

    mutating func identifier<ID: Identifier>() -> ID { ID(UUIDBits(high: next(), low: next())) }

    private mutating func maybe<Value>(_ make: (inout RandomMessages) -> Value) -> Value? { bool() ? make(&self) : nil }

    /// Any text without U+0000: control characters, quotes, combining marks, astral planes.
    mutating func text() -> String {
        var text = ""
        for _ in 0..<number(below: 12) {
            let range: ClosedRange<UInt32> = [
                1...0x1F, 0x20...0x7F, 0x80...0x7FF, 0x300...0x36F, 0x800...0xFFFF, 0x1_0000...0x10_FFFF,
            ][
                number(below: 6)]
            let value = range.lowerBound + UInt32(number(below: range.count))
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    mutating func timestamp() -> Timestamp { Timestamp(milliseconds: Int64(number(below: 4_000_000_000_000))) }

    mutating func fields() -> Fields {
        var fields: Fields = [:]
        for key in [Fields.text, Fields.quantity, Fields.note, Fields.aisle] where number(below: 3) == 0 {
            fields[key] = bool() ? .string(text()) : .null
        }
        for _ in 0..<number(below: 4) {
            let key = "x" + text()
            switch number(below: 3) {
            case 0: fields[key] = .string(text())
            case 1: fields[key] = .null
            default: fields[key] = .json(structure(depth: 3))
            }
        }
        return fields
    }

    /// Canonical JSON text of a value that is neither a string nor null.
    private mutating func structure(depth: Int) -> String {
        switch number(below: depth > 0 ? 4 : 2) {
        case 0: return bool() ? "true" : "false"
        case 1: return ["0", "-1", "1.50", "-2e-7", "1E+9", "98765432109876543210"][number(below: 6)]
        case 2:
            let elements = (0..<number(below: 4)).map { _ in structure(depth: depth - 1) }
            return "[\(elements.joined(separator: ","))]"
        default:
            let members = (0..<number(below: 4)).map { #""k\#($0)":\#(structure(depth: depth - 1))"# }
            return "{\(members.joined(separator: ","))}"
        }
    }

    mutating func confirmedEntry() -> ConfirmedEntry {
        let operation = Operation.allCases[number(below: Operation.allCases.count)]
        var fields = fields()
        if operation.concernsMessages { fields[Fields.text] = "hello" }
        let message: EntryID = identifier()
        if operation.namesMessage { fields[Fields.message] = .string(message.description) }
        let entry = JournalEntry(
            id: identifier(), operation: operation,
            item: operation.concernsItem ? identifier() : operation == .message ? maybe { $0.identifier() } : nil,
            after: operation.places ? maybe { $0.identifier() } : nil, fields: fields,
            batch: maybe { $0.identifier() },
            cause: Cause.allCases[number(below: Cause.allCases.count)], reverts: maybe { $0.identifier() },
            deviceSequence: 1 + Int64(next() % UInt64(JournalEntry.maxDeviceSequence)))
        return ConfirmedEntry(
            entry: entry, sequence: SequenceNumber(rawValue: Int64(next() >> 2)), author: identifier(),
            device: identifier(), madeAt: timestamp(), receivedAt: timestamp(), receipt: maybe { $0.receipt() } ?? nil)
    }

    private mutating func receipt() -> EntryReceipt? {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return EntryReceipt(String((0..<8).map { _ in digits[number(below: 64)] }))
    }

    mutating func origin() -> EntryOrigin? {
        receipt().map { receipt in
            EntryOrigin(
                author: identifier(), device: identifier(), madeAt: timestamp(), receipt: receipt,
                authorName: bool() ? text() : nil)
        }
    }

    private mutating func participant() -> Participant {
        Participant(
            account: maybe { $0.identifier() }, email: maybe { $0.text() }, name: maybe { $0.text() },
            role: bool() ? .owner : .participant, permission: bool() ? .readWrite : .readOnly,
            status: Participant.Status.allCases[number(below: 4)], accountDeleted: maybe { $0.bool() })
    }

    private mutating func change() -> Change {
        let sequence = SequenceNumber(rawValue: Int64(next() >> 2))
        switch number(below: 3) {
        case 0: return Change(sequence: sequence, body: .entry(confirmedEntry()))
        case 1:
            let share = ShareState(participants: (0..<number(below: 4)).map { _ in participant() })
            return Change(sequence: sequence, body: .share(share))
        default:
            var anchors: [EntryID: ItemID?] = [:]
            for _ in 0..<number(below: 4) { anchors.updateValue(maybe { $0.identifier() }, forKey: identifier()) }
            let ids: [EntryID] = (0..<number(below: 4)).map { _ in identifier() }
            return Change(sequence: sequence, body: .discard(ids: ids, anchors: anchors))
        }
    }

    mutating func page() -> ChangesPage {
        ChangesPage(
            changes: (0..<number(below: 6)).map { _ in change() }, token: "t" + text(), moreComing: bool(),
            snapshot: bool())
    }
}
