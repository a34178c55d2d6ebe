import TrolleyJournal
public import TrolleySync
import TrolleyWire

// Checks of a device whose account the service has lost.

extension QueueStoreCheck {
    /// Checks that a new account takes over the lists of an account that the service has lost.
    /// - Parameter succeed: signs the new account in on a store.
    public static func succession(
        _ succeed: @escaping @Sendable (any QueueStore) async throws -> Void
    ) -> [QueueStoreCheck] {
        [
            QueueStoreCheck("a new account creates the lists of its predecessor again, with all that is here") {
                tried in
                let (milk, jam) = (Samples.add("milk"), Samples.add("jam"))
                _ = try await tried.makeList([milk])
                try await tried.fetch(tried.page([tried.change(jam, 1)], token: "a", snapshot: true))
                try await succeed(tried.store)
                let list = try await tried.store.deviceStatus().lists.first
                try tried.expect(list?.isPublished, is: false, "the list is created on the service again")
                try tried.expect(list?.isLocal, is: false, "it doesn't stay here alone")
                try tried.expect(
                    try await tried.waiting().map(\.id), is: [jam.id, milk.id], "the service gets all of it")
            },
            QueueStoreCheck("a new account keeps what has arrived of its predecessor's lists") { tried in
                let (jam, tea) = (Samples.add("jam"), Samples.add("tea"))
                let theirs: ListID = Samples.id()
                _ = try await tried.store.receive(
                    tried.page([tried.change(jam, 1)], token: "a", more: true, snapshot: true), at: tried.now)
                var next = tried.page([tried.change(tea, 1)], of: theirs, token: "b", more: true, snapshot: true)
                next.ownership = [tried.list: "proof"]
                _ = try await tried.store.receive(next, at: tried.now)
                try await succeed(tried.store)
                let lists = try await tried.store.deviceStatus().lists
                try tried.expect(
                    lists.first { $0.id == tried.list }?.isLocal, is: false, "the person's own list is synchronized")
                try tried.expect(try await tried.waiting().map(\.id), is: [jam.id], "it has what had arrived")
                try tried.expect(
                    lists.first { $0.id == theirs }?.isLocal, is: true, "somebody else's list stays here alone")
                try tried.expect(
                    try await tried.store.journal(of: theirs).pending.map(\.entry.id), is: [tea.id],
                    "it has what had arrived, too")
            },
        ]
    }
}
