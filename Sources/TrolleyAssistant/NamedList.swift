package import TrolleyJournal

/// A list, as far as its name finds it.
package struct NamedList: Hashable, Sendable {
    package let id: ListID
    /// nil until somebody names the list.
    package let name: String?

    package init(id: ListID, name: String?) {
        self.id = id
        self.name = name
    }
}

extension [NamedList] {
    /// The lists that a person may mean by a text: the list with this id; otherwise those with exactly this name, in upper or
    /// lower case, or else those whose name begins so.
    package func matching(_ text: String) -> [ListID] {
        if let id = ListID(text) { return map { $0.id }.filter { $0 == id } }
        let wanted = text.inLowerCase
        if wanted.isEmpty { return [] }
        var candidates = filter { $0.name?.inLowerCase.hasSameBytes(as: wanted) == true }
        if candidates.isEmpty { candidates = filter { $0.name?.inLowerCase.begins(with: wanted) == true } }
        return candidates.map { $0.id }
    }
}
