import TrolleyJournal
import TrolleyStore

/// The streams that must be compared with the database.
struct DueComparison {
    /// Of more lists or accounts, everything is compared.
    private static let most = 1000

    /// All streams, on all lists.
    var isWhole = false
    /// All streams of these accounts.
    var accounts: Set<AccountID> = []
    /// On these lists, the streams of the people on them.
    var lists: Set<ListID> = []
    /// On these lists, the streams that know them: somebody may no longer be on a list.
    var left: Set<ListID> = []
    /// What others have appended, of which the people on the lists are to be told.
    var appended: [ListID: [StreamNote.Event]] = [:]

    var isEmpty: Bool { !isWhole && accounts.isEmpty && lists.isEmpty && left.isEmpty && appended.isEmpty }

    /// - Returns: what was due.
    mutating func take() -> DueComparison {
        defer { self = DueComparison() }
        let isMuch = [accounts.count, lists.count, left.count, appended.count].contains { $0 > Self.most }
        return isMuch ? DueComparison(isWhole: true) : self
    }

    mutating func note(_ signal: ChangeSignal) {
        // Everything will be compared, however much more comes.
        if isWhole { return }
        switch signal {
        case .appended(let list, let previous, let head, let device):
            appended[list, default: []].append(.appended(from: previous, to: head, author: device))
        case .list(let list): lists.insert(list)
        case .people(let list):
            lists.insert(list)
            left.insert(list)
        case .account(let account): accounts.insert(account)
        case .everything: self = DueComparison(isWhole: true)
        case .signedOut, .hosted, .work: break
        }
    }
}
