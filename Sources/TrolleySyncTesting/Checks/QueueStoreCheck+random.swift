import TrolleyJournal
import TrolleySync
import TrolleyWire

// Random sequences of what happens to a device, compared with ``PlainQueues`` after each step.

extension QueueStoreCheck {
    /// Checks with what a seed gives: a device that works offline, uploads whose answers are lost, fetches in pages, in shopping
    /// mode or not, others' changes, compression, lists that go and come back.
    /// - Parameter isHosted: whether the service itself keeps the store. Then it is restored with the service and has nothing to
    ///   offer it, uploads take no time, and callers see what was received before it is applied.
    public static func random(_ seeds: Range<UInt64>, isHosted: Bool = false) -> [QueueStoreCheck] {
        seeds.map { seed in
            QueueStoreCheck("random sequence \(seed)") { tried in
                var life = RandomLife(tried, seed: seed, isHosted: isHosted)
                for _ in 0..<40 { try await life.step() }
            }
        }
    }
}

/// A device and the service that it talks to, over a random sequence of events.
private struct RandomLife {
    private let tried: TriedStore
    private let isHosted: Bool
    private var store: any QueueStore
    private var plain: PlainQueues
    private var random: SeededGenerator
    private var streams: [ListID: ListStream] = [:]
    private var epoch = 1
    private var time: Int64 = 1_000
    private var items: [ItemID] = []
    private var refusals: [ListID: [JournalEntry]] = [:]
    private var history: [String] = []
    /// Lists that the account has left, and why, until a fetch tells the device.
    private var left: [ListID: ListGoneReason] = [:]
    private let lists: [ListID] = [Samples.id(), Samples.id()]
    private let account: AccountID = Samples.id()
    private let device: DeviceID = Samples.id()
    private let other: AccountID = Samples.id()
    private let elsewhere: DeviceID = Samples.id()

    init(_ tried: TriedStore, seed: UInt64, isHosted: Bool) {
        self.tried = tried
        self.isHosted = isHosted
        plain = PlainQueues(showsAll: isHosted)
        store = tried.store
        random = SeededGenerator(seed: seed)
    }

    private var now: DeviceTime { Samples.time(time) }

    mutating func step() async throws {
        time += random.chance(5) ? 4 * 3_600_000 : Int64(random.below(2_000) + 1)
        let list = lists[random.chance(80) ? 0 : 1]
        let isHere = plain.lists[list] != nil
        switch random.below(100) {
        case _ where !isHere && streams[list] == nil: try await add(list)
        case 0..<25 where isHere: try await make(on: list)
        case 25..<45 where isHere: try await upload(list)
        case 45..<70: try await fetch()
        case 70..<78: try await apply(list)
        case 78..<90: change(list)
        case 90..<92: compress(list)
        case 92..<93: leave(list)
        case 93..<97 where !isHosted: restore(list)
        case 97..<100:
            store = try await tried.reopened()
            history.append("reopen")
        default: break
        }
        try await compare()
    }

    // MARK: The device

    private mutating func add(_ list: ListID) async throws {
        history.append("add list \(name(list))")
        try await store.addList(list)
        plain.addList(list)
    }

    private mutating func make(on list: ListID) async throws {
        let entries = (0...random.below(3)).map { _ in entry() }
        history.append("make \(entries.map { "\($0.operation)" }) on \(name(list))")
        let numbered = try await store.append(entries, to: list, made: now)
        let expected = plain.append(entries, to: list, made: now)
        try tried.expect(numbered, is: expected, told("the entries are numbered"))
    }

    private mutating func upload(_ list: ListID) async throws {
        if plain.lists[list]?.isPublished == false {
            streams[list] = streams[list] ?? ListStream()
            let head = streams[list]?.head ?? .start
            history.append("publish \(name(list)), which has \(head.rawValue)")
            let answer = ListResponse(
                id: list, role: .owner, permission: .readWrite, head: head, createdAt: now.wall, ownership: "proof")
            try await store.notePublished(list, as: answer, at: now.wall)
            plain.notePublished(list, head: isHosted ? SequenceNumber(rawValue: .max) : head, at: now.wall)
        }
        guard let known = plain.lists[list] else { return }
        let sent = Array(known.waiting.prefix(1 + random.below(3)))
        guard !sent.isEmpty, left[list] == nil, var stream = streams[list] else { return }
        try await store.noteSending(sent.map(\.entry.id), in: list)
        plain.noteSending(sent.map(\.entry.id), in: list)
        let age = sent.last.map { $0.made.age(at: now) } ?? 0
        time += Int64(random.below(500))
        var verdicts: [UploadVerdict] = []
        for entry in sent {
            let refused = random.chance(8)
            let result = stream.take(
                UploadEntry(entry: entry.entry, age: entry.made.age(at: now)), by: account, on: device, at: now.wall
            ) { _ in refused ? (.invalidArguments, "no") : nil }
            if let sequence = result.sequence {
                verdicts.append(UploadVerdict(entry: entry.entry.id, outcome: .accepted(sequence)))
            } else {
                refusals[list, default: []].append(entry.entry)
                verdicts.append(
                    UploadVerdict(
                        entry: entry.entry.id, outcome: entry.isOffered ? .known : .rejected(.invalidArguments, "no")))
            }
        }
        streams[list] = stream
        // What is made meanwhile.
        if random.chance(30) { try await make(on: list) }
        let isLost = random.chance(25)
        history.append(
            "upload \(sent.count) of \(name(list))\(isLost ? ", the answer is lost" : ": \(verdicts.map(\.outcome))")")
        let latest =
            isLost
            ? nil
            : stream.changes.last.flatMap { change -> Timestamp? in
                if case .entry(let entry) = change.body { entry.madeAt } else { nil }
            }
        if !isLost {
            try await store.settle(verdicts, in: list, at: now.wall)
            plain.settle(verdicts, in: list, at: now.wall)
        }
        if !isHosted {
            let ids = sent.map(\.entry.id)
            try await store.noteUploadEnded(
                UploadEnd(age: age, at: now, latest: latest, sent: Set(ids)), in: list)
            plain.noteUploadEnded(in: list, age: age, at: now, latest: latest, sent: ids)
        }
    }

    private mutating func fetch() async throws {
        var response = AllChangesResponse(lists: [])
        for (id, stream) in streams.sorted(by: { $0.key < $1.key }) {
            let known = plain.lists[id]
            if let reason = left[id] {
                if known != nil { response.gone[id] = reason }
                continue
            }
            let parts = known?.token?.split(separator: ":").compactMap { Int($0) }
            if let parts, parts.first != epoch {
                response.expired.append(id)
                continue
            }
            let after = parts?.last ?? 0
            let rest = stream.live.dropFirst(after)
            let page = rest.prefix(random.chance(30) ? 2 : 1_000)
            if page.isEmpty, known?.token != nil, random.chance(50) { continue }
            let hasMore = page.count < rest.count
            response.lists.append(
                AllChangesResponse.List(
                    id: id,
                    page: ChangesPage(
                        changes: Array(page), token: "\(epoch):\(after + page.count)", moreComing: hasMore,
                        snapshot: parts == nil,
                        digest: !hasMore && random.chance(40) ? ListState(folding: stream.entries).digest : nil)))
        }
        history.append(
            "fetch \(response.lists.map { "\(name($0.id)) \($0.page.snapshot ? "snapshot " : "")\($0.page.changes.map(\.sequence.rawValue)) \($0.page.token)\($0.page.moreComing ? " …" : "")" }), expired \(response.expired.map { name($0) }), gone \(response.gone.keys.map { name($0) })"
        )
        let outcome = try await store.receive(response, at: now.wall)
        let expected = plain.receive(response, at: now.wall)
        try tried.expect(outcome, is: expected, told("the outcome of a fetch"))
        if random.chance(70) { for list in lists { try await apply(list) } }
    }

    private mutating func apply(_ list: ListID) async throws {
        guard plain.lists[list] != nil else { return }
        let shopping = random.chance(40)
        history.append("apply \(name(list))\(shopping ? " while shopping" : "")")
        try await store.apply(in: list, shopping: shopping)
        plain.apply(in: list, shopping: shopping)
    }

    // MARK: The service

    private mutating func change(_ list: ListID) {
        guard var stream = streams[list] else { return }
        left[list] = nil
        for _ in 0...random.below(3) {
            _ = stream.take(UploadEntry(entry: entry(), age: 0), by: other, on: elsewhere, at: now.wall)
        }
        if random.chance(30), var held = refusals[list]?.popLast() {
            // An earlier request takes effect, or another device brings it back; or something else has its id.
            if held.operation == .add, random.chance(50) { held.after = random.pick(items) }
            if !held.fields.isEmpty, random.chance(20) { held.fields = [Fields.text: .string("another \(time)")] }
            _ = stream.take(UploadEntry(entry: held, age: 0), by: account, on: device, at: now.wall)
            history.append("what was refused arrives")
        }
        streams[list] = stream
        history.append("others change \(name(list)) to \(stream.head.rawValue)")
    }

    private mutating func compress(_ list: ListID) {
        history.append("compress \(name(list))")
        streams[list]?.compress()
    }

    private mutating func leave(_ list: ListID) {
        guard streams[list] != nil else { return }
        history.append("leave \(name(list))")
        left[list] = .removed
    }

    private mutating func restore(_ list: ListID) {
        guard let head = streams[list]?.head.rawValue, head > 0 else { return }
        let lost = random.chance(40) ? Int(head) : 1 + random.below(min(4, Int(head)))
        history.append("restore \(name(list)), losing \(lost)")
        streams[list]?.lose(lost)
        epoch += 1
    }

    /// An entry about an item that is or isn't there.
    private mutating func entry() -> JournalEntry {
        let known = random.pick(items)
        switch (random.below(10), known) {
        case (4...5, let item?): return Samples.markOff(item)
        case (6, let item?):
            return JournalEntry(id: Samples.id(), operation: .delete, item: item, deviceSequence: 1)
        case (7, let item?):
            return JournalEntry(
                id: Samples.id(), operation: .move, item: item, after: random.pick(items), deviceSequence: 1)
        case (8, let item?):
            return JournalEntry(
                id: Samples.id(), operation: .edit, item: item, fields: [Fields.text: .string("edited \(time)")],
                deviceSequence: 1)
        case (9, _):
            return JournalEntry(
                id: Samples.id(), operation: .renameList, fields: [Fields.text: .string("list \(time)")],
                deviceSequence: 1)
        default:
            let item: ItemID = Samples.id()
            items.append(item)
            return Samples.add("item \(items.count)", item: item, after: known)
        }
    }

    // MARK: Comparing

    private func compare() async throws {
        let status = try await store.deviceStatus()
        try tried.expect(
            Set(status.lists.map(\.id)), is: Set(plain.lists.keys), told("the lists on the device"))
        for (id, list) in plain.lists {
            let shown = status.lists.first { $0.id == id }
            try tried.expect(
                shown,
                is: DeviceStatus.List(
                    id: id, isPublished: list.isPublished, token: list.token, waiting: list.waiting.count,
                    toApply: list.toApply.count), told("the status of \(name(id))"))
            let waiting = try await store.waiting(in: id, limit: 1_000)
            try tried.expect(
                waiting.map(\.entry), is: list.waiting.map(\.entry), told("the upload queue of \(name(id))"))
            try tried.expect(
                waiting.map(\.made.wall), is: list.waiting.map(\.made.wall), told("when it was made, on \(name(id))"))
            try tried.expect(
                waiting.map { [$0.isOffered, $0.isOwn] }, is: list.waiting.map { [$0.isOffered, list.isOwn($0)] },
                told("whose it is, on \(name(id))"))
            try tried.expect(
                try await store.toApply(in: id), is: list.toApply, told("the to-apply queue of \(name(id))"))
            let journal = try await store.journal(of: id)
            try tried.expect(journal.confirmed, is: list.applied, told("what is applied on \(name(id))"))
            try tried.expect(
                journal.pending.map(\.entry), is: list.shownPending.map(\.entry), told("what is pending on \(name(id))")
            )
            try tried.expect(
                journal.pending.map(\.madeAt), is: list.shownPending.map(\.madeAt),
                told("from when it is shown, on \(name(id))"))
            try tried.expect(
                try await store.state(of: id).items.map { "\($0.id) \($0.text) \($0.markedOff)" },
                is: list.state.items.map { "\($0.id) \($0.text) \($0.markedOff)" }, told("what \(name(id)) shows"))
        }
        let rejected = try await store.rejected()
        try tried.expect(
            rejected.map { "\($0.list) \($0.entry.id) \($0.code)" },
            is: plain.rejected.map { "\($0.list) \($0.entry.id) \($0.code)" }, told("what was rejected"))
        try tried.expect(rejected.map(\.listName), is: plain.rejected.map(\.listName), told("of which list"))
    }

    private func name(_ list: ListID) -> String { list == lists[0] ? "A" : "B" }

    /// The expectation, and what happened before.
    private func told(_ expectation: String) -> String {
        "\(expectation), after:\n  " + history.suffix(14).joined(separator: "\n  ")
    }
}
