import TrolleyWire

/// What a notification says, in one language.
struct NoticeText {
    /// The people that are named.
    private static let named = 3
    /// Bytes of a name that are shown.
    private static let maximumName = 200

    private let words: NoticeWords

    init(_ words: NoticeWords) { self.words = words }

    /// 'Ben added 2, marked off 1; Cleo wrote 1 message'.
    func content(_ people: [SummarizedPerson]) -> String {
        let parts = people.prefix(Self.named).map { words.person(name(of: $0), actions(of: $0)) }
        let others = people.count - parts.count
        return (parts + (others > 0 ? [words.others(others)] : [])).joined(separator: "; ")
    }

    private func name(of person: SummarizedPerson) -> String {
        guard let name = person.name else { return words.somebody }
        if name.utf8.count <= Self.maximumName { return name }
        var shown = ""
        for character in name where shown.utf8.count + character.utf8.count <= Self.maximumName {
            shown.append(character)
        }
        return shown + "…"
    }

    private func actions(of person: SummarizedPerson) -> String {
        let all = [
            (words.added, person.added), (words.edited, person.edited), (words.markedOff, person.markedOff),
            (words.unmarked, person.unmarked), (words.deleted, person.deleted), (words.moved, person.moved),
            (words.listChanges, person.listChanges), (words.messages, person.messages),
        ].filter { $0.1 > 0 }.map { $0.0($0.1) }
        return all.isEmpty ? words.something : all.joined(separator: ", ")
    }
}
