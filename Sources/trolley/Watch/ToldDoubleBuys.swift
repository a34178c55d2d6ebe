import TrolleyJournal
import TrolleySync

/// The double buys of a list's journal, of which a session tells once those that come while it lasts. The room tells of others
/// earlier, before the marks are in the journal.
struct ToldDoubleBuys {
    /// nil until the first look: what happened before the session is no news.
    private var known: Set<DoubleBuy>?

    var hasLooked: Bool { known != nil }

    /// - Parameters:
    ///   - found: all double buys of the journal, in the order of the later mark.
    ///   - me: the person who watches.
    /// - Returns: the latest new one of this person, with the other person.
    mutating func news(in found: [DoubleBuy], for me: AccountID?) -> (item: ItemID, account: AccountID)? {
        let former = known
        known = Set(found)
        guard let former, let me,
            let new = found.last(where: { !former.contains($0) && ($0.first == me || $0.second == me) })
        else { return nil }
        return (new.item, new.first == me ? new.second : new.first)
    }
}
