public import TrolleyJournal

/// `GET /v1/lists/{id}/state`: the folded list.
public struct StateResponse: Hashable, Sendable {
    public var id: ListID
    public var state: ListState
    /// The sequence of the last folded change.
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
    /// Writes the members `name`, `colour` and `items` into an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        writeName(to: &writer)
        writer.key("items")
        writer.array { writer in
            for item in items { item.write(to: &writer) }
        }
    }

    /// Writes the same members, with the position as the last member of each item.
    /// - Parameter positions: for each item, the number of its row as a person sees it, from 1.
    package func writeMembers(positions: [ItemID: Int], to writer: inout JSONWriter) {
        writeName(to: &writer)
        writer.key("items")
        writer.array { writer in
            for item in items {
                writer.object { writer in
                    item.writeMembers(to: &writer)
                    writer.member("position", positions[item.id])
                }
            }
        }
    }
}

extension ListState {
    fileprivate func writeName(to writer: inout JSONWriter) {
        writer.key("name")
        if let name { writer.string(name) } else { writer.null() }
        writer.key("colour")
        if let colour { writer.string(colour) } else { writer.null() }
        writer.write(aisles: aisles)
        writer.write(shops: shops)
    }
}

extension JSONWriter {
    /// Writes the member `aisles` if there are any.
    package mutating func write(aisles: [String]) {
        guard !aisles.isEmpty else { return }
        key("aisles")
        array { writer in
            for aisle in aisles { writer.string(aisle) }
        }
    }

    /// Writes the member `shops` if there are any.
    package mutating func write(shops: [Shop]) {
        guard !shops.isEmpty else { return }
        key("shops")
        array { writer in
            for shop in shops {
                writer.object { writer in
                    writer.key("name")
                    writer.string(shop.name)
                    writer.write(aisles: shop.aisles)
                }
            }
        }
    }
}

extension Item {
    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    func writeMembers(to writer: inout JSONWriter) {
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

extension StateResponse {
    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 + 160 * state.items.count)
        writer.object { writeMembers(to: &$0) }
        return writer.bytes
    }

    func writeMembers(to writer: inout JSONWriter) {
        outline.writeMembers(to: &writer)
        state.writeMembers(to: &writer)
    }

    var outline: StateOutline {
        StateOutline(
            id: id, sequence: sequence, digest: digest, name: state.name, colour: state.colour, aisles: state.aisles,
            shops: state.shops)
    }
}

/// A folded list without its items, for writing the items one by one.
public struct StateOutline: Hashable, Sendable {
    public var id: ListID
    public var sequence: SequenceNumber
    public var digest: String
    public var name: String?
    public var colour: String?
    public var aisles: [String]
    public var shops: [Shop]

    public init(
        id: ListID, sequence: SequenceNumber, digest: String, name: String?, colour: String?, aisles: [String] = [],
        shops: [Shop] = []
    ) {
        self.id = id
        self.sequence = sequence
        self.digest = digest
        self.name = name
        self.colour = colour
        self.aisles = aisles
        self.shops = shops
    }

    /// Opens the object and its array of items.
    public func writeBeginning(to writer: inout JSONWriter) {
        writer.begin(UInt8(ascii: "{"))
        writeMembers(to: &writer)
        ListState(name: name, colour: colour, aisles: aisles, shops: shops).writeName(to: &writer)
        writer.key("items")
        writer.begin(UInt8(ascii: "["))
    }

    /// Closes the array. More members may follow.
    public func writeEndOfItems(to writer: inout JSONWriter) { writer.end(UInt8(ascii: "]")) }

    /// Closes the object.
    public func writeEnd(to writer: inout JSONWriter) { writer.end(UInt8(ascii: "}")) }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("sequence", sequence)
        writer.member("digest", digest)
    }
}

extension Shop: JSONReadable {
    public init(from reader: inout JSONReader) throws(WireError) {
        self.init(name: "")
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "name": name = try reader.string()
            case "aisles": aisles = try reader.array()
            default: try reader.skip()
            }
        }
    }
}
