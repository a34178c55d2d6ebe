public import TrolleyJournal

/// The result of an import for one list.
public struct ImportedList: Hashable, Sendable {
    /// The list's id in the file.
    public var source: ListID
    /// The id of the list that the import created or found.
    public var list: ListID
    public var name: String?
    /// Changes that this import made.
    public var added = 0
    /// Changes that an earlier import had made.
    public var present = 0
    /// Changes that the service refused.
    public var refused = 0

    public init(source: ListID, list: ListID, name: String?) {
        self.source = source
        self.list = list
        self.name = name
    }

    /// Counts the results of an upload.
    public mutating func count(_ results: [UploadResult]) {
        for result in results {
            switch (result.status, result.code) {
            case (.applied, _): added += 1
            // The same change with other content: the list was different at the first export.
            case (.duplicate, _), (.rejected, .serverRecordChanged): present += 1
            case (.rejected, _): refused += 1
            }
        }
    }

    /// The result as a sentence for a person.
    public var sentence: String {
        var parts = ["\(added) changes made"]
        if present > 0 { parts.append("\(present) there already") }
        if refused > 0 { parts.append("\(refused) refused") }
        return parts.joined(separator: ", ")
    }
}
