package import TrolleyJournal
package import TrolleyWire

/// The answer of `suggest`.
package struct SuggestAnswer: Sendable {
    private let list: ListID
    private let completions: [Completion]
    private let present: [Item]
    private let now: Timestamp

    /// - Parameter present: the items on the list that the person may mean.
    package init(_ list: ListID, _ completions: [Completion], present: [Item], at now: Timestamp) {
        self.list = list
        self.completions = completions
        self.present = present
        self.now = now
    }

    package func writeMembers(to writer: inout JSONWriter) {
        let bought = completions.compactMap { if case .bought(let suggestion) = $0 { suggestion } else { nil } }
        let known = completions.compactMap { if case .known(let match) = $0 { match } else { nil } }
        writer.member("list", list)
        writer.member("suggestions", bought) { suggestion, writer in
            writer.member("text", suggestion.text)
            writer.member("quantity", suggestion.quantity)
            writer.member("aisle", suggestion.aisle)
            writer.member("count", suggestion.count)
            writer.member("every", suggestion.every?.field.string)
            writer.member("last", suggestion.last)
            writer.member("due", suggestion.due)
            writer.member("isDue", suggestion.isDue(at: now))
        }
        writer.member("catalogue", known) { match, writer in
            writer.member("text", match.word)
            writer.member("aisle", match.aisle.name)
        }
        writer.member("onList", present) { item, writer in
            writer.member("item", item.id)
            writer.member("text", item.text)
        }
    }
}
