/// The members of a JSON object whose form depends on one of them, such as its type. They are read in whatever order they come,
/// and make the value when all of them are there.
protocol JSONMembers {
    associatedtype Value
    init()
    /// Reads the member `key`, or skips it.
    mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(WireError)
    /// - Throws: `.invalid`, when a member is missing.
    func value() throws(WireError) -> Value
}

extension JSONReader {
    /// Reads an object by its members.
    mutating func object<Members: JSONMembers>(_ type: Members.Type) throws(WireError) -> Members.Value {
        var members = Members()
        try object { (key, reader) throws(WireError) in try members.read(key, &reader) }
        return try members.value()
    }
}
