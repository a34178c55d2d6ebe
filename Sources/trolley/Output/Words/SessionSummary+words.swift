import TrolleyWire

extension SessionSummary {
    /// The summary in words: 'Bob added 5, wrote 2 messages'.
    var words: String { people.map(\.words).joined(separator: " · ") }
}

extension SummarizedPerson {
    fileprivate var words: String {
        let counts = [
            (added, localized("added \(added)", de: "\(added) hinzugefügt")),
            (edited, localized("changed \(edited)", de: "\(edited) geändert")),
            (markedOff, localized("marked off \(markedOff)", de: "\(markedOff) abgehakt")),
            (unmarked, localized("unmarked \(unmarked)", de: "\(unmarked) wieder gewünscht")),
            (deleted, localized("deleted \(deleted)", de: "\(deleted) gelöscht")),
            (moved, localized("moved \(moved)", de: "\(moved) verschoben")),
            (
                messages,
                messages == 1
                    ? localized("wrote a message", de: "1 Nachricht geschrieben")
                    : localized("wrote \(messages) messages", de: "\(messages) Nachrichten geschrieben")
            ),
            (listChanges, localized("changed the list itself", de: "die Liste geändert")),
        ]
        let did = counts.filter { $0.0 > 0 }.map(\.1).joined(separator: ", ")
        let who = name ?? Console.formerPerson
        return localized("\(who) \(did)", de: "\(who): \(did)")
    }
}
