import TrolleyJournal

/// Entries one after the other, in few bytes that are read fast. ``BundleReader`` reads them.
///
/// ``format`` rises whenever an entry has more to store, an operation is added, or these bytes change in another way. Bundles
/// of another format are ignored, and made again.
struct BundleWriter {
    static let format = 1

    private(set) var bytes: [UInt8] = []

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(number: Int64) { append(word: UInt64(bitPattern: number)) }

    mutating func append(_ id: some Identifier) {
        append(word: id.bits.high)
        append(word: id.bits.low)
    }

    mutating func append(_ time: Timestamp) { append(number: time.milliseconds) }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(count: utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func append(_ entry: JournalEntry) {
        append(byte: entry.operation.bundleCode)
        if entry.operation == .unknown { append(entry.operationName) }
        var present: BundledMembers = []
        if entry.item != nil { present.insert(.item) }
        if entry.after != nil { present.insert(.after) }
        if entry.batch != nil { present.insert(.batch) }
        if entry.reverts != nil { present.insert(.reverts) }
        append(byte: present.rawValue)
        append(byte: entry.cause.bundleCode)
        append(entry.id)
        if let item = entry.item { append(item) }
        if let after = entry.after { append(after) }
        if let batch = entry.batch { append(batch) }
        if let reverts = entry.reverts { append(reverts) }
        append(number: entry.deviceSequence)
        append(count: entry.fields.count)
        for (key, value) in entry.fields {
            append(key)
            append(value)
        }
    }

    private mutating func append(_ value: FieldValue) {
        switch value {
        case .null: append(byte: 0)
        case .string(let text):
            append(byte: 1)
            append(text)
        case .json(let text):
            append(byte: 2)
            append(text)
        }
    }

    private mutating func append(word: UInt64) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(count: Int) {
        withUnsafeBytes(of: UInt32(clamping: count).littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// The optional ids that an entry in a bundle has.
struct BundledMembers: OptionSet {
    var rawValue: UInt8

    static let item = BundledMembers(rawValue: 1)
    static let after = BundledMembers(rawValue: 2)
    static let batch = BundledMembers(rawValue: 4)
    static let reverts = BundledMembers(rawValue: 8)
}

// The codes never change within a format.

extension TrolleyJournal.Operation {
    var bundleCode: UInt8 {
        switch self {
        case .unknown: 0
        case .add: 1
        case .edit: 2
        case .markOff: 3
        case .unmark: 4
        case .move: 5
        case .delete: 6
        case .renameList: 7
        case .recolourList: 8
        case .message: 9
        case .deleteMessage: 10
        case .react: 11
        case .unreact: 12
        case .pin: 13
        case .unpin: 14
        }
    }

    /// - Returns: nil for a code that this format doesn't have, and for `unknown`, which has a name.
    init?(bundleCode: UInt8) {
        guard (1...14).contains(bundleCode) else { return nil }
        self = Self.byCode[Int(bundleCode) - 1]
    }

    private static let byCode = allCases.sorted { $0.bundleCode < $1.bundleCode }
}

extension Cause {
    var bundleCode: UInt8 {
        switch self {
        case .edit: 0
        case .undo: 1
        case .redo: 2
        }
    }
}
