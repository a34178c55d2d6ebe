public import TrolleyJournal

/// `GET /v1/lists/{id}/state`: the folded list.
public struct StateResponse: Hashable, Sendable {
    public var id: ListID
    public var state: ListState
    /// The sequence that it was folded through.
    public var sequence: SequenceNumber
    public var digest: String

    public init(id: ListID, state: ListState, sequence: SequenceNumber, digest: String) {
        self.id = id
        self.state = state
        self.sequence = sequence
        self.digest = digest
    }
}

extension ListState {
    /// The members `name`, `colour` and `items`, into an object that is open.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.key("name")
        if let name { writer.string(name) } else { writer.null() }
        writer.key("colour")
        if let colour { writer.string(colour) } else { writer.null() }
        writer.key("items")
        writer.array { writer in
            for item in items { item.write(to: &writer) }
        }
    }
}

extension Item {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("id")
            writer.identifier(id)
            writer.key("text")
            writer.string(text)
            writer.key("markedOff")
            writer.bool(markedOff)
            writer.key("fields")
            fields.write(to: &writer)
        }
    }
}

extension StateResponse {
    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 + 160 * state.items.count)
        writer.object { writeMembers(to: &$0) }
        return writer.bytes
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.key("id")
        writer.identifier(id)
        writer.key("sequence")
        writer.integer(sequence.rawValue)
        writer.key("digest")
        writer.string(digest)
        state.writeMembers(to: &writer)
    }
}
