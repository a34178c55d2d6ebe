package import TrolleyJournal
package import TrolleyWire

/// The answer of `add`.
package struct AddAnswer: Sendable {
    private let list: ListID
    private let source: ListID?
    private let added: [AddedItem]

    /// - Parameter source: the list from which the items were copied.
    package init(_ list: ListID, from source: ListID? = nil, _ added: [AddedItem]) {
        self.list = list
        self.source = source
        self.added = added
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("from", ifAny: source)
        writer.member("items", added.map(\.item))
        for outcome in [AddedItem.Outcome.back, .present] {
            writer.member(outcome.rawValue, added.filter { $0.outcome == outcome }.map(\.item.id))
        }
        writer.member("aisles", added.filter { $0.aisleChoice != nil }) { added, writer in
            writer.member("item", added.item.id)
            if let aisle = added.aisleChoice { writer.members(of: aisle) }
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
