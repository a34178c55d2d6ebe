import TrolleyJournal
import TrolleyWire

/// Names of people and devices.
enum DisplayName {
    /// Checks a person's or device's name, and removes white space around it. The limit counts code points, as JSON
    /// Schema does, because one Swift character can be megabytes of combining marks.
    /// - Throws: `invalidArguments`.
    static func checked(_ text: String, called field: String) throws -> String {
        let name = text.trimmed
        guard !name.isEmpty, text.unicodeScalars.count <= 100 else {
            throw Problem(.invalidArguments, "\(field) must have 1 to 100 characters")
        }
        // A name is shown to others, in a line of theirs. Names from before this rule are shown without such characters.
        guard !name.steersTerminal else {
            throw Problem(.invalidArguments, "\(field) must not contain control characters")
        }
        return name
    }
}
