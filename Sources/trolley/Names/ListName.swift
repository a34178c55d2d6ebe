import TrolleyClient
import TrolleyJournal

/// A list, as far as its name finds it.
struct NamedList: Hashable {
    let id: ListID
    let name: String?
}

extension [NamedList] {
    /// The lists with this name, or those whose name begins so, or the list with this id.
    func matching(_ text: String) -> [ListID] {
        if let id = ListID(text) { return map(\.id).filter { $0 == id } }
        let wanted = text.lowercased()
        if wanted.isEmpty { return [] }
        var candidates = filter { $0.name?.lowercased() == wanted }
        if candidates.isEmpty { candidates = filter { $0.name?.lowercased().hasPrefix(wanted) == true } }
        return candidates.map(\.id)
    }
}

extension [ListSummary] {
    /// The list with this name, beginning of a name, or id.
    func named(_ name: String) throws(CommandError) -> ListSummary {
        let found = map { NamedList(id: $0.id, name: $0.name) }.matching(name)
        let candidates = filter { found.contains($0.id) }
        guard let list = candidates.first else { throw .noSuchList(name) }
        guard candidates.count == 1 else { throw .ambiguousList(name, candidates) }
        return list
    }
}

extension Device {
    /// The list with this name, beginning of a name, or id. Unread changes are not counted.
    func list(named name: String) async throws -> ListSummary {
        let found = try await listNames().map { NamedList(id: $0.id, name: $0.name) }.matching(name)
        // For the error, and because owners tell lists of one name apart.
        guard found.count == 1 else { return try await lists().named(name) }
        return try await list(found[0]).summaryWithoutUnread()
    }
}
