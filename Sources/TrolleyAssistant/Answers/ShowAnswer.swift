package import TrolleyJournal
package import TrolleyWire

/// The answer of `show`: a list, and by each item the number of its row.
package struct ShowAnswer: Sendable {
    private let list: ListID
    private let state: ListState
    private let positions: [ItemID: Int]

    /// - Parameter rows: as a person sees them.
    package init(_ list: ListID, _ state: ListState, rows: [ShownRow]) {
        self.list = list
        self.state = state
        positions = Dictionary(rows.enumerated().map { ($1.id, $0 + 1) }) { first, _ in first }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", list)
        state.writeMembers(positions: positions, to: &writer)
    }
}
