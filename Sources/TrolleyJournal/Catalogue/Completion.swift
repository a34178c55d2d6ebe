/// What a person may be about to add.
public enum Completion: Hashable, Sendable {
    /// Something that was bought before.
    case bought(Suggestion)
    /// A word of the catalogue.
    case known(Catalogue.Match)

    public var text: String {
        switch self {
        case .bought(let suggestion): suggestion.text
        case .known(let match): match.word
        }
    }
}

extension PurchaseHistory {
    /// What a person may be about to add: first what was bought before, as ``suggestions(for:at:beginningWith:limit:)`` has it, then
    /// words of the catalogue. Each text comes once, and what the list wants already doesn't come.
    /// - Parameters:
    ///   - text: what was written so far. Without a letter, nothing of the catalogue comes.
    ///   - catalogue: nil: there is none.
    ///   - limit: the maximum number.
    public func completions(
        of text: String, for state: ListState, at now: Timestamp, catalogue: Catalogue?, limit: Int
    ) -> [Completion] {
        var completions = suggestions(for: state, at: now, beginningWith: text, limit: limit).map {
            Completion.bought($0)
        }
        guard let catalogue, completions.count < limit else { return completions }
        var taken: Set<ItemKey> = []
        for completion in completions { taken.insert(completion.text.itemKey) }
        for item in state.wanted { taken.insert(item.text.itemKey) }
        for match in catalogue.completions(of: text, limit: limit + taken.count) where completions.count < limit {
            if taken.insert(match.word.itemKey).inserted { completions.append(.known(match)) }
        }
        return completions
    }
}
