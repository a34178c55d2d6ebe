import Testing
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The part of ``checkQueueStore(_:reopened:)`` that is about what a list shows: what waits is compressed before it is
/// applied, and what the device has come to is compared with the service's.
func checkShownList(_ store: any QueueStore, reopened: () async throws -> any QueueStore) async throws {
    try await checkArrivals(store, reopened)
    try await checkArrivalsWhileShopping(store)
    try await checkDigest(store)
}

private let hour: Int64 = 3_600_000

private func confirmed(_ entry: JournalEntry, _ sequence: Int64, at time: Int64 = 0) -> Change {
    let at = Samples.time(time).wall
    return Change(
        sequence: SequenceNumber(rawValue: sequence),
        body: .entry(
            ConfirmedEntry(
                entry: entry, sequence: SequenceNumber(rawValue: sequence), author: Samples.id(), device: Samples.id(),
                madeAt: at, receivedAt: at)))
}

private func page(
    _ changes: [Change], of list: ListID, token: String, snapshot: Bool = false, digest: StateDigest? = nil
) -> AllChangesResponse {
    let page = ChangesPage(changes: changes, token: token, moreComing: false, snapshot: snapshot, digest: digest)
    return AllChangesResponse(lists: [AllChangesResponse.List(id: list, page: page)])
}

/// What came and was finished while nobody looked is not shown, if it is older than three hours.
private func checkArrivals(_ store: any QueueStore, _ reopened: () async throws -> any QueueStore) async throws {
    let list: ListID = Samples.id()
    func texts(in store: any QueueStore) async throws -> Set<String> {
        Set(try await store.state(of: list).items.map(\.text))
    }
    let (milk, jam, tea, rice) = (Samples.add("milk"), Samples.add("jam"), Samples.add("tea"), Samples.add("rice"))
    _ = try await store.receive(
        page([confirmed(milk, 1)], of: list, token: "a", snapshot: true), at: Samples.time(hour).wall)
    try await store.apply(in: list, shopping: false)
    let changes = [
        // Seen before: it is struck through, in sight.
        confirmed(Samples.markOff(try #require(milk.item)), 2, at: hour),
        // Came and went.
        confirmed(jam, 3, at: hour), confirmed(Samples.markOff(try #require(jam.item)), 4, at: 2 * hour),
        // Came and went just now.
        confirmed(tea, 5, at: 2 * hour), confirmed(Samples.markOff(try #require(tea.item)), 6, at: 8 * hour),
        confirmed(rice, 7, at: 2 * hour),
    ]
    _ = try await store.receive(page(changes, of: list, token: "b"), at: Samples.time(10 * hour).wall)
    let digest = ListState(try await store.journal(of: list).adding(try await store.toApply(in: list))).digest
    try await store.apply(in: list, shopping: false)
    #expect(try await texts(in: store) == ["milk", "tea", "rice"], "what came and went is not shown")
    #expect(try await texts(in: reopened()) == ["milk", "tea", "rice"], "nor after a restart")
    #expect(try await store.toApply(in: list).isEmpty)
    let journal = try await store.journal(of: list)
    #expect(journal.confirmed.contains { $0.entry.id == jam.id }, "the journal keeps it")
    #expect(try await store.state(of: list).digest == digest, "and what is still wanted is the same")

    // Whoever wants it again brings it back, with all that was known of it.
    let unmark = JournalEntry(id: Samples.id(), operation: .unmark, item: jam.item, deviceSequence: 1)
    _ = try await store.receive(
        page([confirmed(unmark, 8, at: 9 * hour)], of: list, token: "c"), at: Samples.time(10 * hour).wall)
    try await store.apply(in: list, shopping: false)
    #expect(try await store.state(of: list).items.first { $0.id == jam.item }?.text == "jam")
    // And from then on it is an item like any other.
    let off = Samples.markOff(try #require(jam.item))
    _ = try await store.receive(
        page([confirmed(off, 9, at: 9 * hour)], of: list, token: "d"), at: Samples.time(30 * hour).wall)
    try await store.apply(in: list, shopping: false)
    #expect(try await store.state(of: list).items.first { $0.id == jam.item }?.markedOff == true)
}

/// While shopping nobody is told of what came and was finished.
private func checkArrivalsWhileShopping(_ store: any QueueStore) async throws {
    let list: ListID = Samples.id()
    let (jam, rice) = (Samples.add("jam"), Samples.add("rice"))
    let changes = [
        confirmed(jam, 1), confirmed(Samples.markOff(try #require(jam.item)), 2), confirmed(rice, 3),
    ]
    _ = try await store.receive(
        page(changes, of: list, token: "a", snapshot: true), at: Samples.time(4 * hour).wall)
    try await store.apply(in: list, shopping: true)
    #expect(try await store.toApply(in: list).map(\.entry) == [rice], "only what is still wanted waits")
    #expect(try await !store.state(of: list).items.contains { $0.id == jam.item })
}

/// A digest that differs lets go of the token; one that doesn't, or isn't told, changes nothing.
private func checkDigest(_ store: any QueueStore) async throws {
    let list: ListID = Samples.id()
    let now = Samples.time().wall
    let milk = confirmed(Samples.add("milk"), 1)
    guard case .entry(let entry) = milk.body else { return }
    let digest = ListState(folding: [entry]).digest
    func token() async throws -> String? { try await store.standing().lists.first { $0.id == list }?.token }
    var receipt = try await store.receive(
        page([milk], of: list, token: "a", snapshot: true, digest: digest), at: now)
    #expect(receipt.differing == 0)
    _ = try await store.append([Samples.add("own")], to: list, made: Samples.time())
    receipt = try await store.receive(page([], of: list, token: "a", digest: digest), at: now)
    #expect(receipt.differing == 0, "what waits to be applied counts, what is unsent does not")
    #expect(try await token() == "a")
    var half = page([], of: list, token: "b", digest: ListState().digest)
    half.lists[0].page.moreComing = true
    receipt = try await store.receive(half, at: now)
    #expect(receipt.differing == 0, "while more is coming nothing can be compared")
    receipt = try await store.receive(page([], of: list, token: "c", digest: ListState().digest), at: now)
    #expect(receipt.differing == 1 && receipt.progressed, "a list that differs is to be fetched afresh")
    #expect(try await token() == nil)
    #expect(try await store.waiting(in: list, limit: 9).count == 1, "what is unsent stays")
    // Compression is told of, so that the next run compares.
    let discard = Change(sequence: SequenceNumber(rawValue: 2), body: .discard(ids: [entry.entry.id], anchors: [:]))
    receipt = try await store.receive(page([milk, discard], of: list, token: "d", snapshot: true), at: now)
    #expect(receipt.discarded == 1)
}

extension ListJournal {
    /// With entries that wait applied.
    fileprivate func adding(_ waiting: [ConfirmedEntry]) -> ListJournal {
        ListJournal(confirmed: confirmed + waiting, pending: pending)
    }
}
