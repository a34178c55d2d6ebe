package import TrolleyJournal
package import TrolleyWire

/// The answer of a command that changes items: `edit`, `off`.
package struct ChangeAnswer: Sendable {
    private let list: ListID
    private let items: [Item]

    /// - Parameter items: as they are after the change.
    package init(_ list: ListID, _ items: [Item]) {
        self.list = list
        self.items = items
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("items", items)
    }
}
