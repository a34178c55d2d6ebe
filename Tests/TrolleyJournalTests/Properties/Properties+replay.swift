@testable import TrolleyJournal

extension Property {
    static let replayIsTheFoldOfAPrefix = Property(name: "a replay shows at every change what the list showed then") {
        journal in
        var random = SeededGenerator(seed: journal.seed)
        var timeline = Timeline(journal.entries, interval: 1 + random.below(5))
        for _ in 0..<5 {
            let count = random.below(journal.entries.count + 1)
            let sequence = count == 0 ? .start : journal.entries[count - 1].sequence
            let expected = ListState(folding: journal.entries.prefix(count))
            if let why = unequal(timeline.state(through: sequence), expected, "through \(sequence.rawValue)") {
                return why
            }
        }
        return nil
    }

    static let puttingBackIsThatMoment = Property(name: "putting a list back shows that moment, and is undone as one") {
        journal in
        var hands = Hands(journal)
        let before = hands.fold.state
        let target = journal.before.last?.sequence ?? .start
        var timeline = Timeline(journal.entries)
        let restoration = timeline.restoration(through: target)
        if let why = unequal(restoration.preview, ListState(folding: journal.before), "preview") { return why }
        hands.perform(restoration.drafts)
        if let why = unequal(hands.fold.state, restoration.preview, "after \(restoration.drafts)") { return why }
        if let why = unequal(hands.fold.state.digest, restoration.preview.digest, "digest") { return why }
        if !restoration.drafts.isEmpty { _ = hands.undo() }
        return unequal(hands.fold.state, before, "after undoing \(restoration.drafts)")
    }
}
