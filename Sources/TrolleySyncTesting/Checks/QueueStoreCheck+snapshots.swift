import TrolleyJournal
import TrolleySync
import TrolleyWire

// Checks of snapshots.

extension QueueStoreCheck {
    static let snapshots = [
        QueueStoreCheck("a snapshot replaces nothing until its last page has arrived") { tried in
            let own = try await tried.makeList([Samples.add("milk")])[0]
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            let gone = Samples.add("gone")
            try await tried.fetch(tried.page([tried.change(gone, 1)], token: "a", snapshot: true))
            var expired = AllChangesResponse(lists: [])
            expired.expired = [tried.list]
            let fetchOutcome = try await tried.store.receive(expired, at: tried.now)
            try tried.expect(fetchOutcome.expired, is: 1, "the refused token is counted")
            try tried.expect(try await tried.token(), is: nil, "the refused token is deleted")
            _ = try await tried.store.receive(
                tried.page([tried.change(jam, 1)], token: "b", more: true, snapshot: true), at: tried.now)
            try tried.expect(try await tried.applied(), is: [gone], "a partial snapshot shows nothing")
            try tried.expect(
                try await tried.reopened().deviceStatus().lists.first?.token, is: "b",
                "after a restart the fetch resumes after the last page"
            )
            try await tried.fetch(tried.page([tried.change(butter, 2)], token: "c"))
            try tried.expect(try await tried.applied(), is: [jam, butter], "the last page replaces the list")
            try tried.expect(try await tried.waiting(), is: [own], "the upload queue stays")
        },
        QueueStoreCheck("an entry compressed away behind the list's last change leaves the upload queue") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let jam = Samples.add("jam")
            try await tried.store.settle([tried.accepted(own[0], 3)], in: tried.list, at: tried.now)
            try await tried.fetch(tried.page([tried.change(jam, 1)], token: "a", snapshot: true, through: 4))
            try tried.expect(try await tried.waiting(), is: own, "what the snapshot lacks is offered again")
            try await tried.store.settle([tried.accepted(own[0], 3)], in: tried.list, at: tried.now)
            try tried.expect(
                try await tried.pending(), is: [own[1]], "what was taken before the page's end has been passed")
            try await tried.store.settle([tried.accepted(own[1], 5)], in: tried.list, at: tried.now)
            try tried.expect(try await tried.pending(), is: [own[1]], "what was taken later has not")
            try await tried.fetch(tried.page([], token: "b", through: 6))
            try tried.expect(try await tried.pending(), is: [], "a page without changes passes it")
        },
        QueueStoreCheck("confirmed entries that a snapshot lacks are offered again") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let jam = Samples.add("jam")
            try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
            try await tried.fetch(
                tried.page([tried.change(own[0], 1), tried.change(jam, 2)], token: "a", snapshot: true))
            try await tried.fetch(tried.page([tried.change(jam, 1)], token: "b", snapshot: true))
            try tried.expect(try await tried.applied(), is: [jam], "the list has the snapshot's entries")
            try tried.expect(
                try await tried.waiting(), is: own, "the missing entry is offered again; the unsent entry stays")
        },
        QueueStoreCheck("accepted entries that a restored service lacks are offered again") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            let all = [tried.change(jam, 1), tried.change(butter, 2)]
            try await tried.fetch(tried.page(all, token: "a", snapshot: true))
            // The first is an old duplicate: the device has changes beyond its sequence, so compression has removed it.
            try await tried.store.settle(
                [tried.accepted(own[0], 1), tried.accepted(own[1], 3)], in: tried.list, at: tried.now)
            try tried.expect(try await tried.waiting(), is: [], "accepted entries no longer wait")
            try tried.expect(try await tried.pending(), is: [own[1]], "the old duplicate was compressed")
            let restored = [tried.change(jam, 1), tried.change(butter, 9)]
            try await tried.fetch(tried.page(restored, token: "b", snapshot: true))
            try tried.expect(try await tried.waiting(), is: own, "both missing entries are offered again")
        },
    ]

    // Lists that are removed, and that return.
    static let endings = [
        QueueStoreCheck("a list that is gone is removed; its unsent entries become rejected entries") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let refused = UploadVerdict(entry: own[0].id, outcome: .rejected(.invalidArguments, nil))
            try await tried.store.settle([refused], in: tried.list, at: tried.now)
            let fetchOutcome = try await tried.store.receive(tried.gone(tried.list, .stoppedSharing), at: tried.now)
            try tried.expect(fetchOutcome.news, is: 1, "the removal is news")
            try tried.expect(try await tried.store.deviceStatus().lists.isEmpty, "the list is removed")
            let rejected = try await tried.store.rejected()
            try tried.expect(rejected.map(\.entry), is: own, "its unsent entries are rejected entries")
            try tried.expect(rejected.last?.code, is: .listDeleted, "the rejected entries say why")
            try tried.expect(
                try await Set(tried.store.refusals().map(\.code)), is: ["invalidArguments", "listDeleted"],
                "both rejections are counted")
        },
        QueueStoreCheck("the counter continues when a list returns") { tried in
            _ = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            _ = try await tried.store.receive(tried.gone(tried.list, .stoppedSharing), at: tried.now)
            try await tried.store.addList(tried.list)
            let tea = try await tried.store.append([Samples.add("tea")], to: tried.list, made: Samples.time())
            try tried.expect(tea.map(\.deviceSequence), is: [3], "the numbers continue where they were")
        },
    ]
}
