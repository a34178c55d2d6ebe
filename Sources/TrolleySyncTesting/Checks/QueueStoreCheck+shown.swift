import TrolleyJournal
import TrolleySync
import TrolleyWire

// Checks of the shown list: waiting entries are compressed before they are applied.

extension QueueStoreCheck {
    private static let hour: Int64 = 3_600_000

    static let shown = [
        QueueStoreCheck("items added and finished more than three hours ago are not shown") { tried in
            let (milk, jam) = (Samples.add("milk"), Samples.add("jam"))
            let (tea, rice) = (Samples.add("tea"), Samples.add("rice"))
            try await tried.fetch(
                tried.page([tried.change(milk, 1)], token: "a", snapshot: true), at: Samples.time(hour).wall)
            let changes = [
                // Shown before: it stays on the list, marked off.
                tried.change(Samples.markOff(try tried.item(milk)), 2, at: hour),
                // Added and finished long ago.
                tried.change(jam, 3, at: hour), tried.change(Samples.markOff(try tried.item(jam)), 4, at: 2 * hour),
                // Added and finished just now.
                tried.change(tea, 5, at: 2 * hour), tried.change(Samples.markOff(try tried.item(tea)), 6, at: 8 * hour),
                tried.change(rice, 7, at: 2 * hour),
            ]
            _ = try await tried.store.receive(tried.page(changes, token: "b"), at: Samples.time(10 * hour).wall)
            let before = try await tried.store.journal(of: tried.list)
            let waiting = try await tried.store.toApply(in: tried.list)
            let all = ListState(ListJournal(confirmed: before.confirmed + waiting, pending: before.pending))
            try await tried.store.apply(in: tried.list, shopping: false)
            let texts: Set = ["milk", "tea", "rice"]
            try tried.expect(try await tried.texts(in: tried.store), is: texts, "the finished item is not shown")
            try tried.expect(
                try await tried.texts(in: tried.reopened()), is: texts, "the finished item is not shown after a restart"
            )
            try tried.expect(try await tried.toApply(), is: [], "no entry waits")
            try tried.expect(
                try await tried.applied().contains { $0.id == jam.id }, "the journal keeps the item's entries")
            try tried.expect(
                try await tried.store.state(of: tried.list).digest, is: all.digest, "the wanted items are the same")
        },
        QueueStoreCheck("an item that was never shown comes back with all its fields") { tried in
            let jam = Samples.add("jam")
            let item = try tried.item(jam)
            let changes = [tried.change(jam, 1, at: hour), tried.change(Samples.markOff(item), 2, at: 2 * hour)]
            try await tried.fetch(
                tried.page(changes, token: "a", snapshot: true), at: Samples.time(10 * hour).wall)
            try tried.expect(try await tried.texts(in: tried.store), is: [], "the finished item is not shown")
            let unmark = JournalEntry(id: Samples.id(), operation: .unmark, item: item, deviceSequence: 1)
            try await tried.fetch(
                tried.page([tried.change(unmark, 3, at: 9 * hour)], token: "b"), at: Samples.time(10 * hour).wall)
            try tried.expect(try await tried.texts(in: tried.store), is: ["jam"], "the item is back, with its text")
            try await tried.fetch(
                tried.page([tried.change(Samples.markOff(item), 4, at: 9 * hour)], token: "c"),
                at: Samples.time(30 * hour).wall)
            let shown = try await tried.store.state(of: tried.list).items.first { $0.id == item }
            try tried.expect(shown?.markedOff, is: true, "the item stays on the list when it is marked off again")
        },
        QueueStoreCheck("while shopping, items added and finished unseen produce no notice") { tried in
            let (jam, rice) = (Samples.add("jam"), Samples.add("rice"))
            let changes = [
                tried.change(jam, 1, at: 0), tried.change(Samples.markOff(try tried.item(jam)), 2, at: 0),
                tried.change(rice, 3, at: 0),
            ]
            _ = try await tried.store.receive(
                tried.page(changes, token: "a", snapshot: true), at: Samples.time(4 * hour).wall)
            try await tried.store.apply(in: tried.list, shopping: true)
            try tried.expect(try await tried.toApply(), is: [rice], "only the wanted item waits")
            try tried.expect(try await !tried.texts(in: tried.store).contains("jam"), "the finished item is not shown")
        },
    ]
}

extension TriedStore {
    fileprivate func texts(in store: any QueueStore) async throws -> Set<String> {
        Set(try await store.state(of: list).items.map(\.text))
    }
}
