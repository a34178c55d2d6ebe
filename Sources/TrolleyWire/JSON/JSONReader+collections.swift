import TrolleyJournal

/// A value that reads itself from JSON.
protocol JSONReadable {
    init(from reader: inout JSONReader) throws(WireError)
}

// For speed, frequent types call `beginObject` and `nextKey`, or `beginArray` and `nextElement`, instead.
extension JSONReader {
    /// Reads an object: `member` reads, or skips, the value of each key.
    mutating func object(_ member: (JSONText, inout JSONReader) throws(WireError) -> Void) throws(WireError) {
        try beginObject()
        while let key = try nextKey() { try member(key, &self) }
    }

    /// Reads an array: `element` reads each element.
    mutating func array<Element>(
        _ element: (inout JSONReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        var elements: [Element] = []
        try beginArray()
        while try nextElement() { elements.append(try element(&self)) }
        return elements
    }

    mutating func array<Element: JSONReadable>(of type: Element.Type = Element.self) throws(WireError) -> [Element] {
        try array { reader throws(WireError) in try Element(from: &reader) }
    }

    /// Reads a value; nil for null.
    mutating func optional<Value: JSONReadable>(_ type: Value.Type = Value.self) throws(WireError) -> Value? {
        try null() ? nil : try Value(from: &self)
    }
}

extension String: JSONReadable {
    init(from reader: inout JSONReader) throws(WireError) { self = try reader.string() }
}

extension Identifier where Self: JSONReadable {
    init(from reader: inout JSONReader) throws(WireError) { self = try reader.identifier() }
}

extension ListID: JSONReadable {}
extension ItemID: JSONReadable {}
extension EntryID: JSONReadable {}

extension ConfirmedEntry: JSONReadable {}
extension Item: JSONReadable {}
