import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// Removing the names of deleted accounts from the recorded states of shares.

extension Store {
    /// The number of states of a share that are read or rewritten in one transaction: at most 2 MiB or so.
    private static let statesAtATime = 32

    /// Removes an account's name and addresses from every recorded state of a list's share, including its former
    /// addresses, a page at a time. A state from when the account was only invited shows only the address. May be
    /// repeated from the beginning.
    func redact(
        _ account: AccountID, knownBy known: Set<String>, on list: ListID
    ) async throws(StoreError) {
        var addresses = known
        if let email = try await first(
            AccountSQL.byID, [account],
            { row throws(PostgresError) in
                try row.decode(String.self, at: 1)
            })
        {
            addresses.insert(email)
        }
        var after = SequenceNumber.start
        while let page = try await statesOfShare(of: list, after: after) {
            for state in page.states {
                addresses.formUnion(state.participants.lazy.filter { $0.account == account }.compactMap(\.email))
            }
            after = page.last
        }
        // Stored first: a state that is redacted no longer has them.
        try await execute(AccountSQL.noteAddresses, [account, addresses.sorted()])
        let names = ([nil] + addresses).map { Participant(account: account, email: $0, status: .left) }
        after = .start
        while let page = try await statesOfShare(of: list, after: after) {
            let rewritten = page.states.compactMap { $0.redacted(account, called: names) }
            if !rewritten.isEmpty {
                try await execute(
                    ShareSQL.rewrite,
                    [
                        list, rewritten.map(\.sequence), rewritten.map(\.whole?.column),
                        rewritten.map(\.difference?.column),
                    ])
            }
            try await execute(AccountSQL.claim, [account, true])
            after = page.last
        }
    }

    private func statesOfShare(
        of list: ListID, after: SequenceNumber
    ) async throws(StoreError) -> (states: [StoredShare], last: SequenceNumber)? {
        let states = try await all(
            ShareSQL.page, [list, after, Self.statesAtATime], StoredShare.init(row:))
        return states.last.map { (states, $0.sequence) }
    }
}

/// A state of a share as it is stored.
private struct StoredShare {
    let sequence: SequenceNumber
    var whole: Change?
    var difference: ShareDifference?

    /// - Parameter row: of ``ShareSQL/page``.
    init(row: Row) throws(PostgresError) {
        sequence = try row.decode(at: 0)
        if let text = try row.decode(String?.self, at: 1) { whole = try Change(column: text) }
        if let text = try row.decode(String?.self, at: 2) { difference = try ShareDifference(column: text) }
    }

    var participants: [Participant] {
        (whole?.share?.participants ?? [])
            + (difference.map { ($0.before + $0.after).map(\.participant) } ?? [])
    }

    /// The state without a person's name and addresses.
    /// - Returns: nil when it has none of them.
    func redacted(_ account: AccountID, called names: [Participant]) -> StoredShare? {
        func redacted(_ participant: Participant) -> Participant {
            names.contains(where: participant.isSamePerson) ? participant.redacted(account: account) : participant
        }
        var state = self
        if let share = whole?.share {
            state.whole?.body = .share(ShareState(participants: share.participants.map(redacted)))
        }
        state.difference = difference?.mapped(redacted)
        return state.whole == whole && state.difference == difference ? nil : state
    }
}
