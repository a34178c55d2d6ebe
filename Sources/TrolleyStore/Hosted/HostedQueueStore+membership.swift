import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// The lists that an integration may see: a device keeps its copy of a list for a moment after its account has left the
// list.

/// A hosted device's lists that its account is on.
struct HostedLists {
    var lists: [HostedListName]
    /// The default list, also when the account is not on it.
    var standard: ListID?
    /// Lists on a node of the database that is unreachable. Whether the account is on them is unknown.
    var unreachable: Set<ListID> = []
}

extension HostedQueueStore {
    /// Reads the membership with the lists; on a Citus cluster, where lists and devices are on different nodes, before them.
    func shownLists() async throws -> HostedLists {
        var queries: [Query] = [
            .execute(HostedQueueSQL.lists, [device]), .execute(HostedDeviceSQL.defaultList, [device]),
        ]
        var members: Set<ListID>?
        var unreachable: Set<ListID> = []
        if let account {
            if let nodes = try await store.nodes() {
                let known = try await nodes.membership(of: account)
                members = known.lists
                unreachable = known.unreachable
            } else {
                queries.append(.execute(MemberSQL.lists, [account]))
            }
        }
        let answers = try await store.pool.withConnection { try await $0.pipeline(queries) }
        if answers.count > 2 { members = Set(try answers[2].map { try $0.decode(ListID.self, at: 0) }) }
        let lists = try answers[0].map(HostedListName.init(row:)).filter { members?.contains($0.id) ?? true }
        return HostedLists(
            lists: lists, standard: try answers[1].first?.decode(ListID?.self, at: 0) ?? nil, unreachable: unreachable)
    }
}
