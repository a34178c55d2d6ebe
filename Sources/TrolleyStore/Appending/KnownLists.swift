import Synchronization
import TrolleyJournal
import TrolleyWire

/// What this process knows of lists that it has appended to, where lists stand on several nodes.
///
/// Whoever adds something to a list, or changes who is on it, moves its head. So as long as the head is where this process left it, who may
/// write is known, and an upload takes two small statements instead of one that looks at everything, which Citus plans anew
/// each time.
final class KnownLists: Sendable {
    struct Known: Hashable, Sendable {
        /// The list's newest change.
        var head: SequenceNumber
        /// A restored database may have the same head in another life.
        var epoch: UUIDBits
        var people: Set<AccountID>
        /// Of the people, those who have written since, and as what.
        var writers: [AccountID: Role]
    }

    /// So many lists are known at the most.
    private static let most = 50_000

    private let lists = Mutex<[ListID: Known]>([:])

    /// What is known of the lists of uploads. Nothing where the uploader isn't known as a writer.
    func known(to uploads: [PendingUpload]) -> [ListID: Known] {
        lists.withLock { lists in
            var known: [ListID: Known] = [:]
            for upload in uploads {
                guard let list = lists[upload.list], list.writers[upload.session.account] != nil else { continue }
                known[upload.list] = list
            }
            return known
        }
    }

    /// Takes note of uploads that were committed; forgets the lists of the others.
    func note(_ uploads: [PendingUpload], _ appended: [AppendedInShard?]) {
        lists.withLock { lists in
            if lists.count > Self.most { lists = [:] }
            for (upload, appended) in zip(uploads, appended) {
                guard let appended, !appended.appended.people.isEmpty else {
                    lists[upload.list] = nil
                    continue
                }
                var writers: [AccountID: Role] = [:]
                if let before = lists[upload.list], before.head == appended.appended.previous {
                    writers = before.writers
                }
                writers[upload.session.account] = appended.role
                lists[upload.list] = Known(
                    head: appended.appended.head, epoch: appended.appended.epoch, people: appended.appended.people,
                    writers: writers)
            }
        }
    }

    func forget(_ uploads: [PendingUpload]) {
        lists.withLock { lists in for upload in uploads { lists[upload.list] = nil } }
    }
}

/// An upload that was appended in one shard, and as what its uploader is on the list.
struct AppendedInShard: Sendable {
    let appended: Appended
    let role: Role
}
