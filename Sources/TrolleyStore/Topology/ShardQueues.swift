import DequeModule
import TrolleyJournal

/// Uploads that wait for the writer of their list's shard. Each shard has one, so that an unreachable node delays no other.
struct ShardQueues<Upload> {
    /// A shard is here while it has a writer.
    private var uploads: [Topology.Shard?: Deque<(list: ListID, upload: Upload)>] = [:]
    /// The lists of these uploads.
    private var lists: Set<ListID> = []

    /// The number of waiting uploads.
    var count: Int { uploads.values.reduce(0) { $0 + $1.count } }

    func hasUpload(to list: ListID) -> Bool { lists.contains(list) }

    /// - Returns: whether the shard needs a writer.
    mutating func add(_ upload: Upload, to list: ListID, at shard: Topology.Shard?) -> Bool {
        let isFirst = uploads[shard] == nil
        uploads[shard, default: []].append((list, upload))
        lists.insert(list)
        return isFirst
    }

    /// The uploads that a shard's writer takes next. Without any, the shard has no writer any more.
    /// - Parameter isFull: whether no further upload fits.
    mutating func take(at shard: Topology.Shard?, until isFull: ([Upload]) -> Bool) -> [Upload] {
        var taken: [Upload] = []
        while !isFull(taken), let next = uploads[shard]?.popFirst() {
            taken.append(next.upload)
            lists.remove(next.list)
        }
        if taken.isEmpty { uploads[shard] = nil }
        return taken
    }
}
