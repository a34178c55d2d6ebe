import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// Questions about all lists, while a node may be unreachable: first one statement asks all nodes, and after it has failed
// each shard is asked by itself.

extension Nodes {
    /// The heads of each account's lists. While a node is unreachable, the answer leaves out that node's lists, and contains
    /// only the sequence for the others.
    func heads(of accounts: [AccountID]) async throws(StoreError) -> [AccountID: [ListID: ListHead]] {
        do throws(StoreError) {
            return try await store.allHeads(of: accounts)
        } catch  where error.isNodeAway {
            return try await store.topology.reachableHeads(of: accounts).heads.mapValues { heads in
                heads.mapValues { ListHead(sequence: $0) }
            }
        }
    }

    /// The lists to which invitations with a secret lead.
    /// - Throws: `.notAllReached` when none is found, and it may be on a node that is unreachable.
    func lists(bySecret hash: [UInt8]) async throws(StoreError) -> [ListID] {
        do throws(StoreError) {
            return try await store.allLists(bySecret: hash)
        } catch  where error.isNodeAway {
            let found = try await store.topology.lists(bySecret: hash)
            guard !found.isEmpty else { throw .notAllReached }
            return found
        }
    }

    /// The heads of lists on which programs are registered.
    /// - Parameter accounts: the programs' accounts.
    /// - Returns: also whether all nodes have answered. The lists of the others wait until their node is back: each of them
    ///   would delay all the others.
    func registeredHeads(
        of lists: [ListID], for accounts: Set<AccountID>
    ) async throws(StoreError) -> (heads: [ListID: SequenceNumber], isComplete: Bool) {
        do throws(StoreError) {
            return (try await store.registeredHeads(of: lists), true)
        } catch  where error.isNodeAway {
            var heads: [ListID: SequenceNumber] = [:]
            for lists in try await store.topology.reachableHeads(of: Array(accounts)).heads.values {
                heads.merge(lists) { first, _ in first }
            }
            return (heads, false)
        }
    }

    /// The lists that an account is on, and those of which that is unknown because their node is unreachable.
    func membership(of account: AccountID) async throws(StoreError) -> (lists: Set<ListID>, unreachable: Set<ListID>) {
        let found = try await store.reachableLists(of: account)
        return (Set(found.lists.map(\.id)), found.unreachable ?? [])
    }
}
