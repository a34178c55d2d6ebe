import TrolleyJournal
import TrolleySync
import TrolleyWire

// What a list shows: what waits is compressed before it is applied.

extension QueueStoreCheck {
    private static let hour: Int64 = 3_600_000

    static let shown = [
        QueueStoreCheck("what came and was finished more than three hours ago is not shown") { tried in
            let (milk, jam) = (Samples.add("milk"), Samples.add("jam"))
            let (tea, rice) = (Samples.add("tea"), Samples.add("rice"))
            try await tried.fetch(
                tried.page([tried.change(milk, 1)], token: "a", snapshot: true), at: Samples.time(hour).wall)
            let changes = [
                // Seen before: it is struck through, in sight.
                tried.change(Samples.markOff(try tried.item(milk)), 2, at: hour),
                // Came and went.
                tried.change(jam, 3, at: hour), tried.change(Samples.markOff(try tried.item(jam)), 4, at: 2 * hour),
                // Came and went just now.
                tried.change(tea, 5, at: 2 * hour), tried.change(Samples.markOff(try tried.item(tea)), 6, at: 8 * hour),
                tried.change(rice, 7, at: 2 * hour),
            ]
            _ = try await tried.store.receive(tried.page(changes, token: "b"), at: Samples.time(10 * hour).wall)
            let before = try await tried.store.journal(of: tried.list)
            let waiting = try await tried.store.toApply(in: tried.list)
            let all = ListState(ListJournal(confirmed: before.confirmed + waiting, pending: before.pending))
            try await tried.store.apply(in: tried.list, shopping: false)
            let texts: Set = ["milk", "tea", "rice"]
            try tried.expect(try await tried.texts(in: tried.store), is: texts, "what came and went is not shown")
            try tried.expect(try await tried.texts(in: tried.reopened()), is: texts, "nor after a restart")
            try tried.expect(try await tried.toApply(), is: [], "nothing waits any more")
            try tried.expect(try await tried.applied().contains { $0.id == jam.id }, "the journal keeps it")
            try tried.expect(
                try await tried.store.state(of: tried.list).digest, is: all.digest, "what is wanted is the same")
        },
        QueueStoreCheck("an item that was not shown comes back with all that was known of it") { tried in
            let jam = Samples.add("jam")
            let item = try tried.item(jam)
            let changes = [tried.change(jam, 1, at: hour), tried.change(Samples.markOff(item), 2, at: 2 * hour)]
            try await tried.fetch(
                tried.page(changes, token: "a", snapshot: true), at: Samples.time(10 * hour).wall)
            try tried.expect(try await tried.texts(in: tried.store), is: [], "it came and went")
            let unmark = JournalEntry(id: Samples.id(), operation: .unmark, item: item, deviceSequence: 1)
            try await tried.fetch(
                tried.page([tried.change(unmark, 3, at: 9 * hour)], token: "b"), at: Samples.time(10 * hour).wall)
            try tried.expect(try await tried.texts(in: tried.store), is: ["jam"], "it is back, with its text")
            try await tried.fetch(
                tried.page([tried.change(Samples.markOff(item), 4, at: 9 * hour)], token: "c"),
                at: Samples.time(30 * hour).wall)
            let shown = try await tried.store.state(of: tried.list).items.first { $0.id == item }
            try tried.expect(shown?.markedOff, is: true, "from then on it is an item like any other")
        },
        QueueStoreCheck("while shopping nobody is told of what came and was finished") { tried in
            let (jam, rice) = (Samples.add("jam"), Samples.add("rice"))
            let changes = [
                tried.change(jam, 1, at: 0), tried.change(Samples.markOff(try tried.item(jam)), 2, at: 0),
                tried.change(rice, 3, at: 0),
            ]
            _ = try await tried.store.receive(
                tried.page(changes, token: "a", snapshot: true), at: Samples.time(4 * hour).wall)
            try await tried.store.apply(in: tried.list, shopping: true)
            try tried.expect(try await tried.toApply(), is: [rice], "only what is still wanted waits")
            try tried.expect(try await !tried.texts(in: tried.store).contains("jam"), "the rest is not shown")
        },
    ]
}

extension TriedStore {
    fileprivate func texts(in store: any QueueStore) async throws -> Set<String> {
        Set(try await store.state(of: list).items.map(\.text))
    }
}
