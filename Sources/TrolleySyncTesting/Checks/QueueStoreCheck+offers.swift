import TrolleyJournal
import TrolleySync
import TrolleyWire

// Checks of what is offered again to a service that has lost it.

extension QueueStoreCheck {
    /// Only for stores that are not restored with the service.
    public static let offers = [
        lostWhileArriving, origins, names, forgotten, late, arrived, refusedAgain, creation, anew,
    ]

    private static let lostWhileArriving = QueueStoreCheck(
        "somebody else's list that the service has lost keeps what has arrived of its first snapshot"
    ) { tried in
        let (jam, butter) = (Samples.add("jam"), Samples.add("butter"))
        var first = tried.page([tried.change(jam, 1)], token: "a", more: true, snapshot: true)
        first.ownership = [:]
        _ = try await tried.store.receive(first, at: tried.now)
        _ = try await tried.store.receive(
            tried.page([tried.change(butter, 2)], token: "b", more: true), at: tried.now)
        var lost = tried.gone(tried.list, .removed)
        lost.unknown = [tried.list]
        let outcome = try await tried.store.receive(lost, at: tried.now)
        try tried.expect(outcome.news, is: 0, "nothing left the device")
        try tried.expect(try await tried.store.deviceStatus().lists.first?.isLocal, is: true, "it stays here alone")
        try tried.expect(
            try await tried.store.journal(of: tried.list).pending.map(\.entry.id), is: [jam.id, butter.id],
            "what has arrived is shown, and offered when the person is invited again")
    }

    /// An entry keeps its author, also when it is offered again.
    private static let origins = QueueStoreCheck("what is offered again to a restored service says who made it") {
        tried in
        let own = try await tried.makeList([Samples.add("milk")])
        try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
        var confirmed = [tried.confirmed(own[0], 1), tried.confirmed(Samples.add("eggs"), 2, at: 20)]
        for index in confirmed.indices { confirmed[index].receipt = EntryReceipt("receipt\(index)") }
        let changes = confirmed.map { Change(sequence: $0.sequence, body: .entry($0)) }
        try await tried.fetch(tried.page(changes, token: "a", snapshot: true))
        try await tried.fetch(tried.page([], token: "b", snapshot: true))
        var waiting = try await tried.store.waiting(in: tried.list, limit: 10)
        try tried.expect(waiting.map(\.entry), is: own, "the device's own entry is offered again")
        try tried.expect(waiting.map(\.origin), is: [confirmed[0].origin], "it has its origin")
        // The list itself is lost, too.
        try await tried.fetch(tried.page(changes, token: "c", snapshot: true))
        let made = ListResponse(
            id: tried.list, role: .owner, permission: .readWrite, head: .start, createdAt: tried.now)
        try await tried.store.notePublished(tried.list, as: made, at: tried.now)
        waiting = try await tried.store.waiting(in: tried.list, limit: 10)
        try tried.expect(waiting.map(\.entry), is: confirmed.map(\.entry), "all entries are offered again")
        try tried.expect(waiting.map(\.origin), is: confirmed.map(\.origin), "each has its origin")
        try await tried.store.noteUploadEnded(
            UploadEnd(age: 0, at: Samples.time(9_000), latest: nil, sent: []), in: tried.list)
        try tried.expect(
            try await tried.store.waiting(in: tried.list, limit: 10).map(\.made), is: waiting.map(\.made),
            "what the service had before keeps its time when an upload ends")
    }

    private static let forgotten = QueueStoreCheck("an entry that came back long ago is no longer known as one's own") {
        tried in
        let own = try await tried.makeList([Samples.add("milk")])
        try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
        try await tried.fetch(tried.page([tried.change(own[0], 1)], token: "a", snapshot: true))
        let late = tried.now.advanced(byMilliseconds: reofferWindow + 60_000)
        try await tried.fetch(tried.page([tried.change(Samples.add("jam"), 2)], token: "b"), at: late)
        let made = ListResponse(id: tried.list, role: .owner, permission: .readWrite, head: .start, createdAt: late)
        try await tried.store.notePublished(tried.list, as: made, at: late)
        let waiting = try await tried.store.waiting(in: tried.list, limit: 10)
        try tried.expect(waiting.map(\.isOffered), is: [true, true], "a lost list is offered again")
        try tried.expect(waiting.map(\.isOwn), is: [false, false], "nothing says any more who made it")
    }

    private static let late = QueueStoreCheck(
        "an entry that was made long before it was confirmed is offered again to a restored service"
    ) { tried in
        let own = try await tried.makeList([Samples.add("milk")])
        let later = tried.now.advanced(byMilliseconds: 2 * reofferWindow)
        try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: later)
        try await tried.fetch(tried.page([tried.change(own[0], 1)], token: "a", snapshot: true), at: later)
        try await tried.fetch(tried.page([], token: "b", snapshot: true), at: later.advanced(byMilliseconds: 60_000))
        try tried.expect(try await tried.waiting(), is: own, "it is kept for as long as if it had been made now")
    }

    private static let arrived = QueueStoreCheck(
        "a refused entry that arrived all the same is offered again to a restored service, in its place"
    ) { tried in
        let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs"), Samples.add("tea")])
        let refused = UploadVerdict(entry: own[1].id, outcome: .rejected(.permissionFailure, nil))
        try await tried.store.settle(
            [tried.accepted(own[0], 1), refused, tried.accepted(own[2], 3)], in: tried.list, at: tried.now)
        var confirmed = (0..<3).map { tried.confirmed(own[$0], Int64($0) + 1) }
        for index in confirmed.indices { confirmed[index].receipt = EntryReceipt("receipt\(index)") }
        let changes = confirmed.map { Change(sequence: $0.sequence, body: .entry($0)) }
        try await tried.fetch(tried.page(changes, token: "a", snapshot: true))
        try tried.expect(try await tried.store.rejected().isEmpty, "it is refused no more")
        try await tried.fetch(tried.page([], token: "b", snapshot: true))
        let waiting = try await tried.store.waiting(in: tried.list, limit: 10)
        try tried.expect(waiting.map(\.entry), is: own, "what the service has lost is offered in its order")
        try tried.expect(waiting.map(\.isOwn), is: [true, true, true], "all of it is the device's own")
        try tried.expect(waiting.map(\.origin), is: confirmed.map(\.origin), "each entry has its origin")
    }

    private static let refusedAgain = QueueStoreCheck(
        "what a restored service refuses again is among the refused entries once"
    ) { tried in
        let own = try await tried.makeList([Samples.add("milk")])
        try await tried.store.settle([tried.accepted(own[0], 1)], in: tried.list, at: tried.now)
        try await tried.fetch(tried.page([tried.change(own[0], 1)], token: "a", snapshot: true))
        for token in ["b", "c"] {
            try await tried.fetch(tried.page([], token: token, snapshot: true))
            try tried.expect(try await tried.waiting(), is: own, "it is offered to each restored service")
            let refused = UploadVerdict(entry: own[0].id, outcome: .rejected(.permissionFailure, nil))
            try await tried.store.settle([refused], in: tried.list, at: tried.now)
        }
        try tried.expect(try await tried.store.rejected().map(\.entry), is: own, "it is shown once")
        try await tried.fetch(tried.page([tried.change(own[0], 1)], token: "d", snapshot: true))
        try tried.expect(try await tried.store.rejected().isEmpty, "and no more when somebody has brought it back")
    }

    private static let creation = QueueStoreCheck("a lost list is created again with the proof, and the people on it") {
        tried in
        _ = try await tried.makeList()
        try tried.expect(try await tried.store.deviceStatus().lacksOwnership, is: true, "the proof is asked for")
        let (ben, cleo): (AccountID, AccountID) = (Samples.id(), Samples.id())
        let share = ShareState(participants: [
            Participant(account: ben, status: .accepted),
            Participant(account: cleo, permission: .readOnly, status: .accepted),
            Participant(account: Samples.id(), status: .left),
            Participant(account: nil, email: "dora@example.com", status: .invited),
        ])
        let change = Change(sequence: SequenceNumber(rawValue: 1), body: .share(share))
        let pages: [(changes: [Change], proof: String)] = [([change], "proof"), ([], "another")]
        for (changes, proof) in pages {
            var page = tried.page(changes, token: proof, snapshot: !changes.isEmpty)
            page.ownership = [tried.list: proof]
            try await tried.fetch(page)
            try tried.expect(
                try await tried.store.createListRequest(for: tried.list),
                is: CreateListRequest(
                    id: tried.list, ownership: "proof",
                    people: [
                        ListPerson(account: ben, permission: .readWrite),
                        ListPerson(account: cleo, permission: .readOnly),
                    ]), "the first proof, and those who have accepted")
        }
        try tried.expect(try await tried.store.deviceStatus().lacksOwnership, is: false, "the proof is here")
    }

    private static let anew = QueueStoreCheck("a list whose id is now somebody else's gets another id") { tried in
        let own = try await tried.makeList([Samples.add("milk"), Samples.add("eggs")])
        let refused = UploadVerdict(entry: own[0].id, outcome: .rejected(.invalidArguments, nil))
        try await tried.store.settle([refused], in: tried.list, at: tried.now)
        let jam = Samples.add("jam")
        try await tried.fetch(tried.page([tried.change(jam, 1)], token: "a", snapshot: true))
        var taken = tried.gone(tried.list, .removed)
        taken.unknown = [tried.list]
        _ = try await tried.store.receive(taken, at: tried.now)
        let lists = try await tried.store.deviceStatus().lists
        try tried.expect(lists.map { [$0.isPublished, $0.isLocal] }, is: [[false, false]], "it is created again")
        guard let id = lists.first?.id else { return }
        try tried.expect(id != tried.list, "it has another id")
        try tried.expect(
            try await tried.store.waiting(in: id, limit: 10).map(\.entry.id), is: [jam.id, own[1].id],
            "the service gets all of it")
        try tried.expect(try await tried.store.rejected().map(\.list), is: [id], "what was refused goes along")
        let tea = try await tried.store.append([Samples.add("tea")], to: id, made: Samples.time())
        try tried.expect(tea.map(\.deviceSequence), is: [3], "the numbers go on")
    }

    private static let names = QueueStoreCheck("what somebody else wrote is offered with their name") { tried in
        _ = try await tried.makeList()
        let ben: AccountID = Samples.id()
        let share = ShareState(participants: [Participant(account: ben, name: "Ben", status: .accepted)])
        let hello = JournalEntry(
            id: Samples.id(), operation: .message, fields: [Fields.text: .string("hello")], deviceSequence: 1)
        var message = tried.confirmed(hello, 2)
        message.author = ben
        let changes = [
            Change(sequence: SequenceNumber(rawValue: 1), body: .share(share)),
            Change(sequence: message.sequence, body: .entry(message)),
        ]
        try await tried.fetch(tried.page(changes, token: "a", snapshot: true))
        let made = ListResponse(
            id: tried.list, role: .owner, permission: .readWrite, head: .start, createdAt: tried.now)
        try await tried.store.notePublished(tried.list, as: made, at: tried.now)
        let origin = EntryOrigin(
            author: ben, device: message.device, madeAt: message.madeAt, receipt: nil, authorName: "Ben")
        let waiting = try await tried.store.waiting(in: tried.list, limit: 10)
        try tried.expect(waiting.map(\.origin), is: [origin], "it has its origin")
        try tried.expect(waiting.map(\.entry), is: [hello], "it is sent as it was made")
        try tried.expect(
            try await tried.pending(), is: [hello.quoting("Ben", at: message.madeAt)], "it is shown as theirs")
    }
}
