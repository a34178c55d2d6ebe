import Synchronization
import TrolleyJournal
import TrolleyWire

/// The lists that this process has appended to, for stores whose lists are on several nodes.
///
/// Everything that adds to a list or changes its people moves its head. So while the head is where this process left
/// it, the list's writers are known. An upload then takes two small statements instead of one large one that Citus
/// plans anew each time.
final class KnownLists: Sendable {
    struct Known: Hashable, Sendable {
        /// The sequence of the list's newest change.
        var head: SequenceNumber
        /// A restored database may repeat a head in another epoch.
        var epoch: UUIDBits
        var people: Set<AccountID>
        /// The people who have written since, and their roles.
        var writers: [AccountID: Role]
    }

    /// The largest number of lists to remember.
    private static let maxLists = 50_000

    private let lists = Mutex<[ListID: Known]>([:])

    /// The known state of the uploads' lists, without lists where the uploader is not a known writer.
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

    /// Records committed uploads, and forgets the lists of all other uploads.
    func note(_ uploads: [PendingUpload], _ appended: [AppendedInShard?]) {
        lists.withLock { lists in
            if lists.count > Self.maxLists { lists = [:] }
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

/// An upload that was appended in one shard, and its uploader's role.
struct AppendedInShard: Sendable {
    let appended: Appended
    let role: Role
}
