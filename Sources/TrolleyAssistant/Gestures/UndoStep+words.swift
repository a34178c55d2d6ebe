package import TrolleyJournal

extension UndoStep.Subject {
    /// The part in words: 'the note of 'milk''.
    /// - Parameter item: the item's text; nil: it is of the list.
    package func words(of item: String?) -> String {
        let whose = item.map { " of '\($0)'" } ?? " of the list"
        return switch self {
        case .name: "the name\(whose)"
        case .colour: "the colour\(whose)"
        case .aisles: "the order of the aisles\(whose)"
        case .field(let key): "the \(key)\(whose)"
        case .place: "the place\(whose)"
        case .markedOff: "the mark\(whose)"
        case .deleted: item.map { "whether '\($0)' is on the list" } ?? "the list"
        }
    }
}
