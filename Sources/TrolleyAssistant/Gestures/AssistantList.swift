package import TrolleyJournal
package import TrolleyWire

/// A list, as the service has folded it for a tool.
package struct AssistantList: Sendable {
    package let id: ListID
    let fold: ListFold
    let state: ListState
    /// As a person sees them, numbered from 1.
    let rows: [ShownRow]

    package init(_ id: ListID, _ fold: ListFold) {
        self.id = id
        self.fold = fold
        state = fold.state
        rows = state.items.map { ShownRow(item: $0) }.byAisle(state.aisles)
    }

    /// The answer of `show`.
    package var shown: String {
        .document { ShowAnswer(id, state, rows: rows).writeMembers(to: &$0) }
    }

    /// The answer of `suggest`.
    /// - Parameter history: the purchases on all lists that may suggest something.
    package func suggestions(
        _ arguments: AssistantArguments, from history: PurchaseHistory, at now: Timestamp
    ) -> String {
        let prefix = arguments["prefix"] ?? ""
        let completions = history.completions(
            of: prefix, for: state, at: now, catalogue: nil, limit: Self.mostSuggestions)
        // Wanted items are not suggested.
        let wanted = rows.map(\.item).filter { !$0.markedOff }
        let present = wanted.matching(prefix).map { wanted[$0] }
        return .document { SuggestAnswer(id, completions, present: present, at: now).writeMembers(to: &$0) }
    }

    private static let mostSuggestions = 20

    /// One call adds or marks off this many items at most. Each name of an item is compared with all items of the list.
    private static let mostItems = 400

    /// - Throws: `AssistantFailure` for more items than one call takes.
    static func checkCount(_ count: Int) throws(AssistantFailure) {
        guard count > mostItems else { return }
        throw AssistantFailure(
            "One call takes at most \(mostItems) items; these are \(count). Nothing was changed. Use several calls.")
    }

    /// Finds an item by its id, its number, its text or a part of its text.
    /// - Parameter operation: the intended change; it decides between several items that match.
    /// - Throws: `AssistantFailure`, with the items that match if there are several.
    func item(_ name: String, for operation: Operation? = nil) throws(AssistantFailure) -> Item {
        let missing = AssistantFailure("There is no item '\(name)' on the list. 'show' shows all items.")
        if let id = ItemID(name) {
            guard let row = rows.first(where: { $0.id == id }) else { throw missing }
            return row.item
        }
        switch rows.choose(name, for: operation, isNumbered: true) {
        case .item(let index): return rows[index].item
        case .noMatch: throw missing
        case .ambiguous(let candidates):
            // Other people wrote these texts. Each stays in its line, so that none looks like a sentence of this answer.
            let lines = candidates.map { index in
                let item = rows[index].item
                return "\(index + 1). \(item.text.inOneLine)\(item.markedOff ? " (marked off)" : "")"
            }
            throw AssistantFailure("Several items fit '\(name)'. Name one by its number:\n" + lines.abbreviated)
        }
    }
}

extension [String] {
    /// The first of the lines, and the number of the others.
    package var abbreviated: String {
        let shown = prefix(8)
        return (shown + (count > shown.count ? ["… and \(count - shown.count) more"] : [])).joined(separator: "\n")
    }
}

extension String {
    /// A JSON object.
    package static func document(_ members: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object { members(&$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
