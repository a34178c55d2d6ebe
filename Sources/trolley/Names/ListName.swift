import TrolleyClient
import TrolleyJournal

extension [ListSummary] {
    /// The list with this name, beginning of a name, or id.
    func named(_ name: String) throws(CommandError) -> ListSummary {
        if let id = ListID(name) {
            guard let list = first(where: { $0.id == id }) else { throw .noSuchList(name) }
            return list
        }
        let wanted = name.lowercased()
        if wanted.isEmpty { throw .noSuchList(name) }
        var candidates = filter { $0.name?.lowercased() == wanted }
        if candidates.isEmpty { candidates = filter { $0.name?.lowercased().hasPrefix(wanted) == true } }
        guard let found = candidates.first else { throw .noSuchList(name) }
        guard candidates.count == 1 else {
            throw .ambiguousList(name, candidates)
        }
        return found
    }
}
