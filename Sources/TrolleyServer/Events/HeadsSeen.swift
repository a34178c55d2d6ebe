import TrolleyJournal
import TrolleyStore

/// How the lists of accounts stood in the last look, so that the next one compares streams only with what has changed.
struct HeadsSeen {
    private var heads: [AccountID: [ListID: ListHead]] = [:]

    /// The lists of an account that are otherwise now, new or gone.
    func changes(of account: AccountID, to present: [ListID: ListHead]) -> Set<ListID> {
        guard let before = heads[account] else { return Set(present.keys) }
        if before == present { return [] }
        var changed = Set(before.keys.filter { present[$0] == nil })
        for (list, head) in present where before[list] != head { changed.insert(list) }
        return changed
    }

    /// All streams of the account have been compared with this.
    mutating func note(_ present: [ListID: ListHead], of account: AccountID) { heads[account] = present }

    /// Forgets accounts without a stream.
    mutating func keep(_ accounts: Set<AccountID>) {
        if heads.count > accounts.count { heads = heads.filter { accounts.contains($0.key) } }
    }
}

/// How soon one look may follow another. A look takes longer the more lists and streams there are, and any change anywhere
/// asks for one: so looks take at most a quarter of the time, or come a second apart.
enum LookPace {
    static let longest = Duration.seconds(1)

    static func pause(after look: Duration) -> Duration { min(look * 3, longest) }
}
