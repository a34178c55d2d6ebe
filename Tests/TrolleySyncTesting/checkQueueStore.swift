import Testing
import TrolleyJournal
public import TrolleySync
import TrolleyWire

/// What every ``QueueStore`` must do. Each store's tests call this with an empty one.
/// - Parameter reopened: gives the same store again as after a restart.
public func checkQueueStore(
    _ store: any QueueStore, reopened: () async throws -> any QueueStore
) async throws {
    let list: ListID = Samples.id()
    try await store.addList(list)
    try await store.addList(list)
    var standing = try await store.standing()
    #expect(standing.lists == [Standing.List(id: list, isPublished: false)], "a list is there once, unpublished")

    // Append numbers without gaps, keeps the order, and survives a restart.
    let milk = Samples.add("milk")
    let bread = Samples.add("bread", after: milk.item)
    let first = try await store.append([milk, bread], to: list, made: Samples.time())
    let eggs = Samples.add("eggs", after: bread.item)
    let second = try await store.append([eggs], to: list, made: Samples.time(5))
    let entries = first + second
    #expect(entries.map(\.deviceSequence) == [1, 2, 3], "the counter has no gaps")
    let queued = try await store.waiting(in: list, limit: 10)
    #expect(queued.map(\.entry) == entries, "the queue keeps the order")
    #expect(queued.last?.made == Samples.time(5), "the queue knows when each was made")
    #expect(try await store.waiting(in: list, limit: 2).count == 2, "a limit is kept")
    #expect(try await store.journal(of: list).pending.map(\.entry) == entries, "one's own are in the journal at once")
    let again = try await reopened()
    #expect(try await again.waiting(in: list, limit: 10) == queued, "the queue survives a restart")
    let report = try await store.report(at: Samples.time(105))
    #expect(report.upload == ["add": 3] && report.toApply.isEmpty && report.failures.isEmpty, "it says what waits")
    #expect(report.oldestAge == 105 && report.held == [list: 1], "and for how long, and from which number on")
    await #expect(throws: QueueStoreError.self, "a list that isn't there is an error") {
        _ = try await store.append([Samples.add("x")], to: Samples.id(), made: Samples.time())
    }

    // A verdict takes an entry out of the upload queue, and never out of sight.
    let now = Samples.time(10).wall
    try await store.notePublished(list, as: nil, at: now)
    try await store.noteSending(entries.map(\.id), in: list)
    try await store.settle(
        [
            Verdict(entry: entries[0].id, outcome: .accepted(SequenceNumber(rawValue: 1))),
            Verdict(entry: entries[1].id, outcome: .rejected(.invalidArguments, "no")),
        ], in: list, at: now)
    standing = try await store.standing()
    #expect(standing.lists.first?.waiting == 1 && standing.lists.first?.isPublished == true)
    #expect(try await store.journal(of: list).pending.map(\.entry) == [entries[0], entries[2]])
    let rejected = try await store.rejected()
    #expect(rejected.map(\.entry) == [entries[1]] && rejected.first?.code == .invalidArguments)
    #expect(try await store.refusals() == [PastFailure(code: "invalidArguments", count: 1, at: now)])

    // A fetch brings entries of others into the to-apply queue; what is one's own is shown already.
    let theirs = Samples.add("jam")
    let account: AccountID = Samples.id()
    let device: DeviceID = Samples.id()
    func confirmed(_ entry: JournalEntry, _ sequence: Int64) -> ConfirmedEntry {
        ConfirmedEntry(
            entry: entry, sequence: SequenceNumber(rawValue: sequence), author: account, device: device, madeAt: now,
            receivedAt: now)
    }
    func change(_ entry: JournalEntry, _ sequence: Int64) -> Change {
        Change(sequence: SequenceNumber(rawValue: sequence), body: .entry(confirmed(entry, sequence)))
    }
    func page(_ changes: [Change], token: String, more: Bool = false, snapshot: Bool = false) -> AllChangesResponse {
        let page = ChangesPage(changes: changes, token: token, moreComing: more, snapshot: snapshot)
        return AllChangesResponse(lists: [AllChangesResponse.List(id: list, page: page)], moreComing: more)
    }
    var receipt = try await store.receive(
        page([change(entries[0], 1), change(theirs, 2)], token: "a", snapshot: true), at: now)
    #expect(receipt.news == 1 && receipt.progressed, "only what others did is news")
    #expect(try await store.toApply(in: list) == [confirmed(theirs, 2)])
    var journal = try await store.journal(of: list)
    #expect(journal.confirmed.map(\.entry) == [entries[0]] && journal.pending.map(\.entry) == [entries[2]])
    #expect(try await store.standing().lists.first?.token == "a")

    // Applying, and receiving the same again, changes nothing twice.
    try await store.apply(in: list, shopping: false)
    try await store.apply(in: list, shopping: false)
    receipt = try await store.receive(page([change(theirs, 2)], token: "a"), at: now)
    #expect(receipt.news == 0, "what comes twice is no news")
    #expect(try await store.toApply(in: list).isEmpty, "what was applied is not applied again")
    journal = try await store.journal(of: list)
    #expect(journal.confirmed.map(\.entry) == [entries[0], theirs])

    // While shopping, what would make the list jump waits; the rest shows at once.
    let butter = Samples.add("butter")
    let off = Samples.markOff(try #require(theirs.item))
    let butterOff = Samples.markOff(try #require(butter.item))
    _ = try await store.receive(page([change(butter, 3), change(off, 4), change(butterOff, 5)], token: "b"), at: now)
    try await store.apply(in: list, shopping: true)
    #expect(try await store.toApply(in: list).map(\.entry) == [butter, butterOff])
    try await store.apply(in: list, shopping: false)
    #expect(try await store.toApply(in: list).isEmpty)

    // Compression takes entries away and gives others new anchors.
    let after = try #require(eggs.item)
    let discard = Change(
        sequence: SequenceNumber(rawValue: 6), body: .discard(ids: [off.id], anchors: [butter.id: after]))
    _ = try await store.receive(page([discard], token: "c"), at: now)
    journal = try await store.journal(of: list)
    #expect(!journal.confirmed.contains { $0.entry.id == off.id })
    #expect(journal.confirmed.first { $0.entry.id == butter.id }?.entry.after == after)

    // A snapshot of several pages replaces nothing until its last page is here, and never the upload queue.
    let before = try await store.journal(of: list)
    var lost = AllChangesResponse(lists: [])
    lost.expired = [list]
    receipt = try await store.receive(lost, at: now)
    #expect(receipt.expired == 1)
    #expect(try await store.standing().lists.first?.token == nil, "the refused token is forgotten")
    _ = try await store.receive(page([change(theirs, 1)], token: "d", more: true, snapshot: true), at: now)
    #expect(try await store.journal(of: list).confirmed == before.confirmed, "half a snapshot shows nothing")
    #expect(try await (reopened()).standing().lists.first?.token == "d", "it resumes where it was cut off")
    _ = try await store.receive(page([change(butter, 2)], token: "e"), at: now)
    journal = try await store.journal(of: list)
    #expect(journal.confirmed.map(\.entry) == [theirs, butter])
    let offered = try await store.waiting(in: list, limit: 10).map(\.entry)
    #expect(
        offered == [entries[0], entries[2]], "what was confirmed and is missing is offered again; unsent ones stay")

    // What the service took before it was restored is offered again as well, though no token says so.
    let third = Verdict(entry: entries[2].id, outcome: .accepted(SequenceNumber(rawValue: 3)))
    let duplicate = Verdict(entry: entries[0].id, outcome: .accepted(SequenceNumber(rawValue: 1)))
    try await store.settle([duplicate, third], in: list, at: now)
    #expect(try await store.waiting(in: list, limit: 10).isEmpty)
    #expect(
        try await store.journal(of: list).pending.map(\.entry) == [entries[2]], "an old duplicate was compressed away")
    _ = try await store.receive(page([change(theirs, 1), change(butter, 9)], token: "f", snapshot: true), at: now)
    #expect(try await store.waiting(in: list, limit: 10).map(\.entry) == [entries[0], entries[2]])
    try await store.settle([duplicate], in: list, at: now)

    // One id in two lists is two entries: what becomes of one leaves the other alone.
    let party: ListID = Samples.id()
    try await store.addList(party)
    let twin = try await store.append([eggs], to: party, made: Samples.time(6))[0]
    try await store.settle([Verdict(entry: eggs.id, outcome: .rejected(.quotaExceeded, nil))], in: party, at: now)
    #expect(try await store.rejected().map(\.entry) == [entries[1], twin])
    #expect(try await store.rejected().map(\.list) == [list, party])
    #expect(try await store.waiting(in: list, limit: 10).map(\.entry) == [entries[2]])
    let theirsToo = AllChangesResponse.List(
        id: party, page: ChangesPage(changes: [change(theirs, 1)], token: "p", moreComing: false, snapshot: true))
    _ = try await store.receive(AllChangesResponse(lists: [theirsToo]), at: now)
    #expect(try await store.toApply(in: party).map(\.entry) == [theirs])
    try await store.apply(in: party, shopping: false)
    var left = AllChangesResponse(lists: [])
    left.gone = [party: .removed]
    _ = try await store.receive(left, at: now)
    #expect(try await store.journal(of: list).confirmed.contains { $0.entry == theirs })

    // The pace is kept.
    var pace = Pace()
    pace.failures = 3
    pace.nextTry = now
    try await store.remember(pace)
    #expect(try await (reopened()).standing().pace == pace)

    // A list that is gone leaves; what was not sent is set aside, in sight.
    var gone = AllChangesResponse(lists: [])
    gone.gone = [list: .stoppedSharing]
    receipt = try await store.receive(gone, at: now)
    #expect(receipt.news == 1)
    #expect(try await store.standing().lists.isEmpty)
    #expect(try await store.rejected().map(\.entry) == [entries[1], twin, entries[2]])
    #expect(try await store.rejected().last?.code == .listDeleted)
    #expect(try await Set(store.refusals().map(\.code)) == ["invalidArguments", "listDeleted", "quotaExceeded"])

    // The counter goes on when the list comes back: the service remembers the numbers.
    try await store.addList(list)
    #expect(try await store.append([Samples.add("tea")], to: list, made: Samples.time()).first?.deviceSequence == 4)

    try await checkShownList(store, reopened: reopened)
}
