import TrolleyStore
import TrolleyWire

/// What a notification says. It is in English.
enum NoticeText {
    /// Says that something has happened, and nothing else.
    static let withoutContent = "One of your lists has changed"
    /// The people that are named.
    private static let named = 3
    /// Bytes of a name that are shown.
    private static let maximumName = 200

    /// 'Ben added 2, marked off 1; Cleo wrote 1 message'.
    static func content(_ people: [SummarizedPerson]) -> String {
        let parts = people.prefix(named).map { "\(name(of: $0)) \(actions(of: $0))" }
        let others = people.count - parts.count
        return (parts + (others > 0 ? ["and \(others) more"] : [])).joined(separator: "; ")
    }

    private static func name(of person: SummarizedPerson) -> String {
        guard let name = person.name else { return "Somebody" }
        if name.utf8.count <= maximumName { return name }
        var shown = ""
        for character in name where shown.utf8.count + character.utf8.count <= maximumName { shown.append(character) }
        return shown + "…"
    }

    private static func actions(of person: SummarizedPerson) -> String {
        let counted = [
            ("added", person.added), ("edited", person.edited), ("marked off", person.markedOff),
            ("unmarked", person.unmarked), ("deleted", person.deleted), ("moved", person.moved),
        ].filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
        let list = person.listChanges > 0 ? ["changed the list"] : []
        let messages =
            person.messages > 0 ? ["wrote \(person.messages) message\(person.messages == 1 ? "" : "s")"] : []
        let all = counted + list + messages
        return all.isEmpty ? "changed something" : all.joined(separator: ", ")
    }
}
