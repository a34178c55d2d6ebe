import TrolleyAssistant
import TrolleyClient
import TrolleyJournal

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
