import TrolleyJournal
import TrolleySync
import TrolleyWire

// What a fetch brings: the to-apply queue and the list's journal.

extension QueueStoreCheck {
    static let fetches = [
        QueueStoreCheck("what others did waits to be applied; what is one's own is shown already") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
            let theirs = Samples.add("jam")
            let fetchOutcome = try await tried.store.receive(
                tried.page([tried.change(own[0], 1), tried.change(theirs, 2)], token: "a", snapshot: true),
                at: tried.now)
            try tried.expect(fetchOutcome.news, is: 1, "only what others did is news")
            try tried.expect(fetchOutcome.progressed, "the fetch made progress")
            try tried.expect(
                try await tried.store.toApply(in: tried.list), is: [tried.confirmed(theirs, 2)], "theirs waits")
            try tried.expect(try await tried.applied(), is: [own[0]], "one's own is confirmed at once")
            try tried.expect(try await tried.pending(), is: [own[1]], "what is unsent stays pending")
            try tried.expect(try await tried.token(), is: "a", "the token is kept with it")
        },
        QueueStoreCheck("what is received or applied twice changes nothing twice") { tried in
            _ = try await tried.makeList()
            let theirs = Samples.add("jam")
            try await tried.fetch(tried.page([tried.change(theirs, 1)], token: "a", snapshot: true))
            try await tried.store.apply(in: tried.list, shopping: false)
            let fetchOutcome = try await tried.store.receive(
                tried.page([tried.change(theirs, 1)], token: "a"), at: tried.now)
            try tried.expect(fetchOutcome.news, is: 0, "what comes twice is no news")
            try tried.expect(try await tried.toApply(), is: [], "what was applied is not applied again")
            try tried.expect(try await tried.applied(), is: [theirs], "and is there once")
        },
        QueueStoreCheck("while shopping, what would make the list jump waits; the rest shows at once") { tried in
            _ = try await tried.makeList()
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            try await tried.fetch(tried.page([tried.change(jam, 1)], token: "a", snapshot: true))
            let off = Samples.markOff(try tried.item(jam))
            let butterOff = Samples.markOff(try tried.item(butter))
            _ = try await tried.store.receive(
                tried.page([tried.change(butter, 2), tried.change(off, 3), tried.change(butterOff, 4)], token: "b"),
                at: tried.now)
            try await tried.store.apply(in: tried.list, shopping: true)
            try tried.expect(try await tried.toApply(), is: [butter, butterOff], "a new item waits, with what follows")
            try await tried.store.apply(in: tried.list, shopping: false)
            try tried.expect(try await tried.toApply(), is: [], "afterwards all of it is applied")
        },
        QueueStoreCheck("compression takes entries away and gives others new anchors") { tried in
            let eggs = try await tried.makeList([Samples.add("eggs")])[0]
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            let off = Samples.markOff(try tried.item(jam))
            let changes = [tried.change(jam, 1), tried.change(butter, 2), tried.change(off, 3)]
            try await tried.fetch(tried.page(changes, token: "a", snapshot: true))
            let after = try tried.item(eggs)
            let discard = Change(
                sequence: SequenceNumber(rawValue: 4), body: .discard(ids: [off.id], anchors: [butter.id: after]))
            let fetchOutcome = try await tried.fetch(tried.page([discard], token: "b"))
            try tried.expect(fetchOutcome.discarded, is: 1, "discards are told of, so that the next run compares")
            let applied = try await tried.applied()
            try tried.expect(applied.map(\.id), is: [jam.id, butter.id], "what was discarded is gone")
            try tried.expect(applied.last?.after, is: after, "what stays has its new anchor")
        },
        QueueStoreCheck("a digest that differs lets go of the token; any other changes nothing") { tried in
            let entry = tried.confirmed(Samples.add("milk"), 1)
            let milk = Change(sequence: entry.sequence, body: .entry(entry))
            let digest = ListState(folding: [entry]).digest
            func receive(_ page: AllChangesResponse) async throws -> FetchOutcome {
                try await tried.store.receive(page, at: tried.now)
            }
            var fetchOutcome = try await receive(tried.page([milk], token: "a", snapshot: true, digest: digest))
            try tried.expect(fetchOutcome.differing, is: 0, "the same digest is no difference")
            _ = try await tried.store.append([Samples.add("own")], to: tried.list, made: Samples.time())
            fetchOutcome = try await receive(tried.page([], token: "a", digest: digest))
            try tried.expect(
                fetchOutcome.differing, is: 0, "what waits to be applied counts, what is unsent does not")
            try tried.expect(try await tried.token(), is: "a", "the token stays")
            fetchOutcome = try await receive(tried.page([], token: "b", more: true, digest: ListState().digest))
            try tried.expect(fetchOutcome.differing, is: 0, "while more is coming nothing can be compared")
            fetchOutcome = try await receive(tried.page([], token: "c", digest: ListState().digest))
            try tried.expect(
                fetchOutcome.differing == 1 && fetchOutcome.progressed, "a list that differs is to be fetched afresh")
            try tried.expect(try await tried.token(), is: nil, "so its token goes")
            try tried.expect(try await tried.waiting().count, is: 1, "what is unsent stays")
        },
    ]
}
