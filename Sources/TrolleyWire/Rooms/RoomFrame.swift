public import TrolleyJournal

/// What devices in a room tell each other. The sender seals it; the service passes it on unread.
///
/// A frame is never the truth: it is shown until the journal says the same, or until it expires.
public enum RoomFrame: Hashable, Sendable {
    /// The person looks at an item; nil: at no item in particular.
    case looking(ItemID?)
    /// The person types the text of an item; nil: of a new item.
    case typing(ItemID?)
    /// The person has made this change, which is on its way to the journal.
    case tentative(TentativeChange)
    /// The change won't come: the person undid it before it was sent.
    case withdrawn(EntryID)
    /// The sender's changes are in the journal up to here: fetch.
    case landed(SequenceNumber)
    /// A frame of a later version.
    case unknown
}

extension RoomFrame {
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .looking(let item):
            writer.member("frame", "looking")
            writer.member("item", ifAny: item)
        case .typing(let item):
            writer.member("frame", "typing")
            writer.member("item", ifAny: item)
        case .tentative(let change):
            writer.member("frame", "tentative")
            writer.member("entry", change.entry)
            writer.member("operation", change.operation)
            writer.member("item", change.item)
            writer.member("text", ifAny: change.text)
        case .withdrawn(let entry):
            writer.member("frame", "withdrawn")
            writer.member("entry", entry)
        case .landed(let sequence):
            writer.member("frame", "landed")
            writer.member("sequence", sequence)
        case .unknown: writer.member("frame", "unknown")
        }
    }

    /// - Throws: `.malformed` and `.invalid`. A frame that this version doesn't know is ``unknown``.
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { (reader) throws(WireError) in try RoomFrame(from: &reader) }
    }

    package init(from reader: inout JSONReader) throws(WireError) { self = try reader.object(Members.self) }

    private enum Kind: String, CaseIterable {
        case looking, typing, tentative, withdrawn, landed
    }

    private struct Members: JSONMembers {
        var kind: String?
        var item: ItemID?
        var entry: EntryID?
        var operation: Operation?
        var text: String?
        var sequence: SequenceNumber?

        mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(WireError) {
            switch key {
            case "frame": kind = try reader.string()
            case "item": item = try reader.null() ? nil : try reader.identifier()
            case "entry": entry = try reader.identifier()
            case "operation": operation = Operation(name: try reader.string())
            case "text": text = try reader.null() ? nil : try reader.string()
            case "sequence": sequence = SequenceNumber(rawValue: try reader.integer())
            default: try reader.skip()
            }
        }

        func value() throws(WireError) -> RoomFrame {
            guard let kind, !kind.isEmpty else { throw .invalid("frame is missing") }
            switch Kind(name: kind) {
            case .looking: return .looking(item)
            case .typing: return .typing(item)
            case .tentative:
                guard let entry, let item else { throw .invalid("tentative needs entry and item") }
                guard let operation, operation.concernsItem, operation != .move else { return .unknown }
                return .tentative(TentativeChange(entry: entry, operation: operation, item: item, text: text))
            case .withdrawn:
                guard let entry else { throw .invalid("withdrawn needs entry") }
                return .withdrawn(entry)
            case .landed:
                guard let sequence else { throw .invalid("landed needs sequence") }
                return .landed(sequence)
            case nil: return .unknown
            }
        }
    }
}
