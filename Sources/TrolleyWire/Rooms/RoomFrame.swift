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

    #if !hasFeature(Embedded)
        /// - Throws: `.malformed` and `.invalid`. A frame that this version doesn't know is ``unknown``.
        public init(json: some Collection<UInt8>) throws(WireError) {
            self = try JSONObject.read(json) { RoomFrame($0) }
        }
    #endif

    private enum Kind: String, CaseIterable {
        case looking, typing, tentative, withdrawn, landed
    }

    package init(_ object: JSONObject) {
        switch Kind(name: object.requiredString("frame")) {
        case .looking: self = .looking(object.identifier("item"))
        case .typing: self = .typing(object.identifier("item"))
        case .tentative:
            let entry = EntryID(object.requiredBits("entry"))
            let item = ItemID(object.requiredBits("item"))
            let operation = Operation(name: object.string("operation") ?? "") ?? .unknown
            self =
                operation.concernsItem && operation != .move
                ? .tentative(
                    TentativeChange(entry: entry, operation: operation, item: item, text: object.string("text")))
                : .unknown
        case .withdrawn: self = .withdrawn(EntryID(object.requiredBits("entry")))
        case .landed: self = .landed(SequenceNumber(rawValue: object.requiredInteger("sequence")))
        case nil: self = .unknown
        }
    }
}
