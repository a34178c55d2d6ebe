import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension [AddedItem] {
    /// The results of an addition, for a person.
    var sentences: [String] {
        func texts(_ outcome: AddedItem.Outcome) -> [String] { filter { $0.outcome == outcome }.map(\.item.text) }
        let (added, back, present) = (texts(.added), texts(.back), texts(.present))
        var sentences: [String] = []
        if !added.isEmpty {
            sentences.append(
                added.count == 1
                    ? localized("Added \(added[0]).", de: "\(added[0]) hinzugefügt.")
                    : localized("Added \(added.count) items.", de: "\(added.count) Einträge hinzugefügt."))
        }
        if !back.isEmpty {
            sentences.append(
                localized("Back on the list: \(back.inWords).", de: "Wieder auf der Liste: \(back.inWords)."))
        }
        let placed = filter { $0.aisleChoice?.isNews == true }
        for item in placed {
            guard let choice = item.aisleChoice else { continue }
            sentences.append(added.count == 1 ? "\(choice.sentence)." : "\(item.item.text): \(choice.sentence).")
        }
        if !present.isEmpty {
            sentences.append(
                localized(
                    "On the list already: \(present.inWords). To add it once more: trolley add --again",
                    de: "Schon auf der Liste: \(present.inWords). Um es noch einmal hinzuzufügen: trolley add --again"))
        }
        return sentences
    }
}

extension JSONWriter {
    /// The members `back` and `present`: the ids of the items that were on the list already.
    mutating func outcomes(of added: [AddedItem]) {
        for outcome in [AddedItem.Outcome.back, .present] {
            key(outcome.rawValue)
            array { writer in
                for item in added where item.outcome == outcome { writer.identifier(item.item.id) }
            }
        }
    }
}

extension Console {
    /// Ends a command that has added items: prints the result for each item, and of the upload.
    /// - Parameter source: the list from which the items were copied.
    func finishAdding(
        _ added: [AddedItem], to list: ListID, from source: ListID? = nil, _ report: SyncReport
    ) throws(ExitCode) {
        for sentence in added.sentences { say(sentence) }
        say(report)
        answer { writer in
            AddAnswer(list, from: source, added).writeMembers(to: &writer)
            writer.waiting(report)
        }
        try finishChange(report)
    }
}
