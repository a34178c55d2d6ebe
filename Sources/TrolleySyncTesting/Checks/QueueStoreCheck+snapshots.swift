import TrolleyJournal
import TrolleySync
import TrolleyWire

// Snapshots, and what they lack.

extension QueueStoreCheck {
    static let snapshots = [
        QueueStoreCheck("a snapshot replaces nothing until its last page is here") { tried in
            let own = try await tried.makeList([Samples.add("milk")])[0]
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            let gone = Samples.add("gone")
            try await tried.fetch(tried.page([tried.change(gone, 1)], token: "a", snapshot: true))
            var expired = AllChangesResponse(lists: [])
            expired.expired = [tried.list]
            let fetchOutcome = try await tried.store.receive(expired, at: tried.now)
            try tried.expect(fetchOutcome.expired, is: 1, "a refused token is told of")
            try tried.expect(try await tried.token(), is: nil, "and forgotten")
            _ = try await tried.store.receive(
                tried.page([tried.change(jam, 1)], token: "b", more: true, snapshot: true), at: tried.now)
            try tried.expect(try await tried.applied(), is: [gone], "half a snapshot shows nothing")
            try tried.expect(
                try await tried.reopened().deviceStatus().lists.first?.token, is: "b", "it resumes where it was cut off"
            )
            try await tried.fetch(tried.page([tried.change(butter, 2)], token: "c"))
            try tried.expect(try await tried.applied(), is: [jam, butter], "the last page replaces the list")
            try tried.expect(try await tried.waiting(), is: [own], "and never the upload queue")
        },
        QueueStoreCheck("what was confirmed and is not in a snapshot is offered again") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let jam = Samples.add("jam")
            try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
            try await tried.fetch(
                tried.page([tried.change(own[0], 1), tried.change(jam, 2)], token: "a", snapshot: true))
            try await tried.fetch(tried.page([tried.change(jam, 1)], token: "b", snapshot: true))
            try tried.expect(try await tried.applied(), is: [jam], "the list is what the snapshot has")
            try tried.expect(try await tried.waiting(), is: own, "what it lacks is offered again; unsent ones stay")
        },
        QueueStoreCheck("what the service took before it was restored is offered again") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            let all = [tried.change(jam, 1), tried.change(butter, 2)]
            try await tried.fetch(tried.page(all, token: "a", snapshot: true))
            // The first is an old duplicate: the list's changes are known beyond its sequence, so it was compressed away.
            try await tried.store.settle(
                [tried.accepted(own[0], 1), tried.accepted(own[1], 3)], in: tried.list, at: tried.now)
            try tried.expect(try await tried.waiting(), is: [], "what was taken waits no more")
            try tried.expect(try await tried.pending(), is: [own[1]], "an old duplicate was compressed away")
            let restored = [tried.change(jam, 1), tried.change(butter, 9)]
            try await tried.fetch(tried.page(restored, token: "b", snapshot: true))
            try tried.expect(try await tried.waiting(), is: own, "the snapshot lacks both, so both are offered")
        },
    ]

    // Lists that leave, and come back.
    static let endings = [
        QueueStoreCheck("a list that is gone leaves; what was not sent is set aside, in sight") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            let refused = UploadVerdict(entry: own[0].id, outcome: .rejected(.invalidArguments, nil))
            try await tried.store.settle([refused], in: tried.list, at: tried.now)
            let fetchOutcome = try await tried.store.receive(tried.gone(tried.list, .stoppedSharing), at: tried.now)
            try tried.expect(fetchOutcome.news, is: 1, "that is news")
            try tried.expect(try await tried.store.deviceStatus().lists.isEmpty, "the list leaves")
            let rejected = try await tried.store.rejected()
            try tried.expect(rejected.map(\.entry), is: own, "its entries are with the refused ones")
            try tried.expect(rejected.last?.code, is: .listDeleted, "and say why")
            try tried.expect(
                try await Set(tried.store.refusals().map(\.code)), is: ["invalidArguments", "listDeleted"],
                "both are counted")
        },
        QueueStoreCheck("the counter goes on when a list comes back") { tried in
            _ = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            _ = try await tried.store.receive(tried.gone(tried.list, .stoppedSharing), at: tried.now)
            try await tried.store.addList(tried.list)
            let tea = try await tried.store.append([Samples.add("tea")], to: tried.list, made: Samples.time())
            try tried.expect(tea.map(\.deviceSequence), is: [3], "the service remembers the numbers")
        },
    ]
}
