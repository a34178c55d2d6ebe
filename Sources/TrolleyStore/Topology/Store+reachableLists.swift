package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// An account's lists, as far as they can be reached.
package struct ReachableLists: Sendable {
    /// Oldest first.
    package var lists: [ListResponse]
    /// nil when all could be reached. Otherwise the other lists that the account's devices have reported; there may be
    /// more.
    package var unreachable: Set<ListID>?
}

extension Store {
    /// The lists that the account is on. While a node of the database is unreachable, only the lists of the other
    /// nodes.
    package func reachableLists(of account: AccountID) async throws(StoreError) -> ReachableLists {
        do throws(StoreError) {
            return ReachableLists(lists: try await lists(of: account))
        } catch  where error.isNodeAway {
            let found = try await topology.reachableHeads(of: [account])
            let reported = try await all(ReportSQL.lists, [account]) { row throws(PostgresError) in
                try row.decode(ListID.self, at: 0)
            }
            var away = try await topology.lists(Set(reported), in: found.unreachable)
            var lists: [ListResponse] = []
            for list in (found.heads[account] ?? [:]).keys {
                do throws(StoreError) {
                    lists += try await all(ListSQL.forAccount, [account, list], ListResponse.init(row:))
                } catch  where error.isNodeAway {
                    // The list's node has just become unreachable.
                    away.insert(list)
                }
            }
            return ReachableLists(
                lists: lists.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }, unreachable: away)
        }
    }
}
