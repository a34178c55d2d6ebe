import TrolleyJournal
import TrolleyStore

/// The heads of the accounts' lists at the last comparison. The next one compares streams only with lists that have
/// changed.
struct HeadsSeen {
    private var heads: [AccountID: [ListID: ListHead]] = [:]

    /// The account's lists that are changed, new or gone.
    func changes(of account: AccountID, to present: [ListID: ListHead]) -> Set<ListID> {
        guard let before = heads[account] else { return Set(present.keys) }
        if before == present { return [] }
        var changed = Set(before.keys.filter { present[$0] == nil })
        for (list, head) in present where before[list] != head { changed.insert(list) }
        return changed
    }

    /// Records that all streams of the account have been compared with these heads.
    mutating func note(_ present: [ListID: ListHead], of account: AccountID) { heads[account] = present }

    /// Drops what is known of other accounts: they have no stream.
    mutating func dropAll(except accounts: Set<AccountID>) {
        if heads.count > accounts.count { heads = heads.filter { accounts.contains($0.key) } }
    }
}

/// The pause between two comparisons. A comparison takes longer the more lists and streams there are, and any change
/// requests one. So comparisons take at most a quarter of the time, or run once a second.
enum RecheckPacing {
    static let longest = Duration.seconds(1)

    static func pause(after duration: Duration) -> Duration { min(duration * 3, longest) }
}
