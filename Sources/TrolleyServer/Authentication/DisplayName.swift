import TrolleyWire

/// Names of people and devices.
enum DisplayName {
    /// A name that a person gave, without white space around it. What is counted is code points, as JSON Schema does: one
    /// character as Swift counts can be megabytes of combining marks.
    static func checked(_ text: String, called field: String) throws -> String {
        let name = text.trimmed
        guard (1...100).contains(name.unicodeScalars.count), !name.unicodeScalars.contains("\0") else {
            throw Problem(.invalidArguments, "\(field) must have 1 to 100 characters")
        }
        return name
    }
}
