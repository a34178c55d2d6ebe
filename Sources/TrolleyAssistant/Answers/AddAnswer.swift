package import TrolleyJournal
package import TrolleyWire

/// The answer of `add`.
package struct AddAnswer: Sendable {
    package enum Outcome: Sendable {
        /// The item is new.
        case added
        /// The item was marked off, and is wanted again.
        case back
        /// The item was wanted already.
        case present
    }

    /// What became of one of the items.
    package struct Row: Sendable {
        let item: Item
        let outcome: Outcome
        /// The aisle of a new item, and why it has it; nil if it has none.
        let aisle: AisleChoice?

        package init(item: Item, outcome: Outcome, aisle: AisleChoice?) {
            self.item = item
            self.outcome = outcome
            self.aisle = aisle
        }
    }

    private let list: ListID
    private let source: ListID?
    private let rows: [Row]

    /// - Parameter source: the list from which the items were copied.
    package init(_ list: ListID, from source: ListID? = nil, _ rows: [Row]) {
        self.list = list
        self.source = source
        self.rows = rows
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("from", ifAny: source)
        writer.member("items", rows.map(\.item))
        for (name, outcome) in [("back", Outcome.back), ("present", .present)] {
            writer.member(name, rows.filter { $0.outcome == outcome }.map(\.item.id))
        }
        writer.member("aisles", rows.filter { $0.aisle != nil }) { row, writer in
            writer.member("item", row.item.id)
            if let aisle = row.aisle { writer.members(of: aisle) }
        }
    }
}

extension JSONWriter {
    /// The members `aisle`, `reason` and `because`: the catalogue's word, or the similar item.
    package mutating func members(of choice: AisleChoice) {
        member("aisle", choice.aisle)
        switch choice.reason {
        case .given: member("reason", "given")
        case .taught: member("reason", "taught")
        case .alike(let item):
            member("reason", "alike")
            member("because", item)
        case .catalogue(let word):
            member("reason", "catalogue")
            member("because", word)
        }
    }
}
