/// The reactions to one message: for each person and text, the latest decision.
///
/// Folding an entry, and asking whether it still decides, take the same time however many reactions there are.
struct FoldedReactions: Sendable {
    /// The most reactions of one person that a message shows: those that the person made first. Decisions beyond it still
    /// count, because one of the others may be taken back, and because which ones are shown must follow from the
    /// decisions alone: these are what compression leaves.
    static let maxShownOfOnePerson = 32

    private struct Reaction: Sendable {
        let author: AccountID?
        let text: String
        var decision: Decision<Bool>
    }

    /// A person and a text.
    private struct Key: Hashable {
        let author: AccountID?
        let text: String

        static func == (left: Key, right: Key) -> Bool {
            left.author == right.author && left.text.hasSameBytes(as: right.text)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(author)
            text.hashBytes(into: &hasher)
        }
    }

    /// In the order in which their first entries came.
    private var reactions: [Reaction] = []
    private var indices: [Key: Int] = [:]

    /// Takes the decision of a `react` (true) or `unreact` (false).
    mutating func decide(_ value: Bool, _ text: String, by author: AccountID?, at stamp: Stamp, entry: EntryID) {
        let key = Key(author: author, text: text)
        if let index = indices[key] {
            reactions[index].decision.merge(value, at: stamp, by: entry)
        } else {
            indices[key] = reactions.count
            reactions.append(Reaction(author: author, text: text, decision: Decision(value, at: stamp, by: entry)))
        }
    }

    /// Whether the entry still decides a reaction.
    func isDecided(by entry: JournalEntry, of author: AccountID?) -> Bool {
        guard let text = entry.reaction, let index = indices[Key(author: author, text: text)] else { return false }
        return reactions[index].decision.by == entry.id
    }

    /// The reactions as they are shown.
    /// - Parameter person: the device's person, whose unconfirmed entries have no author.
    func shown(to person: AccountID?) -> [Message.Reaction] {
        var shown: [Message.Reaction] = []
        var places: [Key: Int] = [:]
        var counts: [AccountID?: Int] = [:]
        for reaction in latest(of: person) {
            let author = reaction.author ?? person
            let count = (counts[author] ?? 0) + 1
            if count > Self.maxShownOfOnePerson, !SeededFault.isSeeded(.reactionsAreUnbounded) { continue }
            counts[author] = count
            let key = Key(author: nil, text: reaction.text)
            let index = places[key] ?? shown.count
            if index == shown.count {
                places[key] = index
                shown.append(Message.Reaction(text: reaction.text, accounts: [], isMine: false))
            }
            if let author { shown[index].accounts.append(author) }
            if author == person, reaction.author == nil || person != nil { shown[index].isMine = true }
        }
        return shown
    }

    /// The reactions that hold, in the order in which they were made. Of the person's confirmed and unconfirmed decisions
    /// on one reaction the later counts.
    private func latest(of person: AccountID?) -> [Reaction] {
        var latest: [Reaction] = []
        var places: [Key: Int] = [:]
        for reaction in reactions {
            let key = Key(author: reaction.author ?? person, text: reaction.text)
            guard let index = places[key] else {
                places[key] = latest.count
                latest.append(reaction)
                continue
            }
            if latest[index].decision.stamp < reaction.decision.stamp { latest[index] = reaction }
        }
        let holding = latest.filter { $0.decision.value }
        if SeededFault.isSeeded(.firstReactionsToComeAreShown) { return holding }
        return holding.inOrder { $0.decision.stamp < $1.decision.stamp }
    }
}
