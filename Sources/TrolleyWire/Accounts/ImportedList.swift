public import TrolleyJournal

/// What an import did with a list.
public struct ImportedList: Hashable, Sendable {
    /// The list in the file.
    public var source: ListID
    /// The list that it became.
    public var list: ListID
    public var name: String?
    /// Changes that were made.
    public var added = 0
    /// Changes that an earlier import had made.
    public var present = 0
    /// Changes that the service doesn't take.
    public var refused = 0

    public init(source: ListID, list: ListID, name: String?) {
        self.source = source
        self.list = list
        self.name = name
    }

    /// Counts what became of changes.
    public mutating func count(_ results: [UploadResult]) {
        for result in results {
            switch (result.status, result.code) {
            case (.applied, _): added += 1
            // The same change in another wording: the list was other when it was exported the first time.
            case (.duplicate, _), (.rejected, .serverRecordChanged): present += 1
            case (.rejected, _): refused += 1
            }
        }
    }

    /// What was done, for a person.
    public var sentence: String {
        var parts = ["\(added) changes made"]
        if present > 0 { parts.append("\(present) there already") }
        if refused > 0 { parts.append("\(refused) refused") }
        return parts.joined(separator: ", ")
    }
}
