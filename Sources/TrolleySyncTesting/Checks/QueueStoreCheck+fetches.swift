import TrolleyJournal
import TrolleySync
import TrolleyWire

// Checks of fetches: the to-apply queue and the list's journal.

extension QueueStoreCheck {
    static let fetches = [
        QueueStoreCheck("others' entries wait in the to-apply queue; the device's own are shown at once") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
            try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
            let theirs = Samples.add("jam")
            let fetchOutcome = try await tried.store.receive(
                tried.page([tried.change(own[0], 1), tried.change(theirs, 2)], token: "a", snapshot: true),
                at: tried.now)
            try tried.expect(fetchOutcome.news, is: 1, "only others' entries are news")
            try tried.expect(fetchOutcome.progressed, "the fetch made progress")
            try tried.expect(
                try await tried.store.toApply(in: tried.list), is: [tried.confirmed(theirs, 2)],
                "the other person's entry waits")
            try tried.expect(try await tried.applied(), is: [own[0]], "the device's own entry is confirmed at once")
            try tried.expect(try await tried.pending(), is: [own[1]], "the unsent entry stays pending")
            try tried.expect(try await tried.token(), is: "a", "the token is kept with it")
        },
        QueueStoreCheck("receiving or applying an entry again changes nothing") { tried in
            _ = try await tried.makeList()
            let theirs = Samples.add("jam")
            try await tried.fetch(tried.page([tried.change(theirs, 1)], token: "a", snapshot: true))
            try await tried.store.apply(in: tried.list, shopping: false)
            let fetchOutcome = try await tried.store.receive(
                tried.page([tried.change(theirs, 1)], token: "a"), at: tried.now)
            try tried.expect(fetchOutcome.news, is: 0, "a repeated entry is not news")
            try tried.expect(try await tried.toApply(), is: [], "an applied entry is not applied again")
            try tried.expect(try await tried.applied(), is: [theirs], "the journal has the entry once")
        },
        QueueStoreCheck("in shopping mode, entries that add or move items wait; others apply at once") { tried in
            _ = try await tried.makeList()
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            try await tried.fetch(tried.page([tried.change(jam, 1)], token: "a", snapshot: true))
            let off = Samples.markOff(try tried.item(jam))
            let butterOff = Samples.markOff(try tried.item(butter))
            _ = try await tried.store.receive(
                tried.page([tried.change(butter, 2), tried.change(off, 3), tried.change(butterOff, 4)], token: "b"),
                at: tried.now)
            try await tried.store.apply(in: tried.list, shopping: true)
            try tried.expect(
                try await tried.toApply(), is: [butter, butterOff], "a new item waits, and so do later entries about it"
            )
            try await tried.store.apply(in: tried.list, shopping: false)
            try tried.expect(try await tried.toApply(), is: [], "afterwards all entries are applied")
        },
        QueueStoreCheck("compression removes entries and gives others new anchors") { tried in
            let eggs = try await tried.makeList([Samples.add("eggs")])[0]
            let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
            let off = Samples.markOff(try tried.item(jam))
            let changes = [tried.change(jam, 1), tried.change(butter, 2), tried.change(off, 3)]
            try await tried.fetch(tried.page(changes, token: "a", snapshot: true))
            let after = try tried.item(eggs)
            let discard = Change(
                sequence: SequenceNumber(rawValue: 4), body: .discard(ids: [off.id], anchors: [butter.id: after]))
            let fetchOutcome = try await tried.fetch(tried.page([discard], token: "b"))
            try tried.expect(
                fetchOutcome.discarded, is: 1, "the discards are counted, so that the next run compares digests")
            let applied = try await tried.applied()
            try tried.expect(applied.map(\.id), is: [jam.id, butter.id], "the discarded entry is gone")
            try tried.expect(applied.last?.after, is: after, "the remaining entry has its new anchor")
        },
        QueueStoreCheck("a rejected entry that arrives is rejected no more") { tried in
            let own = try await tried.makeList(["milk", "eggs", "jam", "tea"].map { Samples.add($0) })
            let refusals = own.map { UploadVerdict(entry: $0.id, outcome: .rejected(.serverRecordChanged, nil)) }
            try await tried.store.settle(refusals, in: tried.list, at: tried.now)
            var (moved, other) = (own[1], own[2])
            moved.after = own[0].item
            other.fields = [Fields.text: .string("something else")]
            let arrived = [tried.change(own[0], 1), tried.change(moved, 2), tried.change(other, 3)]
            try await tried.fetch(tried.page(arrived, token: "a", snapshot: true))
            try tried.expect(
                try await tried.store.rejected().map(\.entry), is: [own[2], own[3]],
                "one with another anchor has arrived; one whose id something else has, and one that didn't come, stay")
            try await tried.fetch(tried.page([tried.change(own[3], 4)], token: "b"))
            try tried.expect(try await tried.store.rejected().map(\.entry), is: [own[2]], "later pages count, too")
        },
        QueueStoreCheck("a different digest deletes the token; an equal one changes nothing") { tried in
            let entry = tried.confirmed(Samples.add("milk"), 1)
            let milk = Change(sequence: entry.sequence, body: .entry(entry))
            let digest = ListState(folding: [entry]).digest
            func receive(_ page: AllChangesResponse) async throws -> FetchOutcome {
                try await tried.store.receive(page, at: tried.now)
            }
            var fetchOutcome = try await receive(tried.page([milk], token: "a", snapshot: true, digest: digest))
            try tried.expect(fetchOutcome.differing, is: 0, "an equal digest is no difference")
            _ = try await tried.store.append([Samples.add("own")], to: tried.list, made: Samples.time())
            fetchOutcome = try await receive(tried.page([], token: "a", digest: digest))
            try tried.expect(
                fetchOutcome.differing, is: 0, "entries to apply count, unsent entries don't")
            try tried.expect(try await tried.token(), is: "a", "the token stays")
            fetchOutcome = try await receive(tried.page([], token: "b", more: true, digest: ListState().digest))
            try tried.expect(fetchOutcome.differing, is: 0, "nothing is compared while more pages follow")
            fetchOutcome = try await receive(tried.page([], token: "c", digest: ListState().digest))
            try tried.expect(
                fetchOutcome.differing == 1 && fetchOutcome.progressed,
                "a list that differs is counted, to be fetched again")
            try tried.expect(try await tried.token(), is: nil, "its token is deleted")
            try tried.expect(try await tried.waiting().count, is: 1, "the unsent entry stays")
        },
    ]
}
