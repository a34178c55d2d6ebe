import TrolleyJournal
import TrolleySync
import TrolleyWire

// Checks of the upload queue, and of the state that the engine stores.

extension QueueStoreCheck {
    /// Only for stores whose uploads take time.
    public static let underWay = QueueStoreCheck(
        "what waits while an upload is under way counts as made after what it sends"
    ) { tried in
        let (milk, eggs) = (Samples.add("milk"), Samples.add("eggs"))
        let sent = try await tried.makeList([milk])
        try await tried.store.noteSending(sent.map(\.id), in: tried.list)
        let meanwhile = try await tried.store.append([eggs], to: tried.list, made: Samples.time(1_000))
        // Sent 20 ms after it was made, answered after four seconds.
        try await tried.store.noteUploadEnded(
            UploadEnd(
                age: 20, at: Samples.time(4_000), latest: Samples.time(3_000).wall, sent: Set(sent.map(\.id))),
            in: tried.list)
        let queued = try await tried.store.waiting(in: tried.list, limit: 10)
        try tried.expect(queued.map(\.entry), is: sent + meanwhile, "the queue keeps the order")
        try tried.expect(
            queued.map(\.made), is: [Samples.time(), Samples.time(3_980)],
            "what was sent keeps its time, and what was made meanwhile is no older than it was")
        let shown = try await tried.store.journal(of: tried.list).pending.map(\.madeAt)
        try tried.expect(shown.last, is: Samples.time(3_000).wall, "it is shown as made no earlier")
        // Made later than the next end, less the age that was sent.
        try await tried.store.noteUploadEnded(
            UploadEnd(age: 500, at: Samples.time(4_100), latest: nil, sent: Set(sent.map(\.id))), in: tried.list)
        try tried.expect(
            try await tried.store.waiting(in: tried.list, limit: 10).last?.made, is: Samples.time(3_980),
            "an entry that is young enough keeps its time")
        // Both in one request, which is too large, then the first alone.
        let all = (sent + meanwhile).map(\.id)
        try await tried.store.noteSending(all, in: tried.list)
        try await tried.store.noteUploadEnded(
            UploadEnd(age: 5_000, at: Samples.time(4_200), latest: nil, sent: Set(all)), in: tried.list)
        try await tried.store.noteUploadEnded(
            UploadEnd(age: 100, at: Samples.time(9_000), latest: nil, sent: [sent[0].id]), in: tried.list)
        try tried.expect(
            try await tried.store.waiting(in: tried.list, limit: 10).map(\.made),
            is: [Samples.time(), Samples.time(8_900)], "so does what was sent in vain before")
    }

    static let queues = [
        QueueStoreCheck("a list that is added twice is there once, unpublished") { tried in
            try await tried.store.addList(tried.list)
            try await tried.store.addList(tried.list)
            try tried.expect(
                try await tried.store.deviceStatus().lists, is: [DeviceStatus.List(id: tried.list, isPublished: false)],
                "the list is there once, unpublished")
        },
        QueueStoreCheck("entries are numbered without gaps and wait in order") { tried in
            let (milk, eggs) = (Samples.add("milk"), Samples.add("eggs"))
            let bread = Samples.add("bread", after: milk.item)
            try await tried.store.addList(tried.list)
            let first = try await tried.store.append([milk, bread], to: tried.list, made: Samples.time())
            let entries = first + (try await tried.store.append([eggs], to: tried.list, made: Samples.time(5)))
            try tried.expect(entries.map(\.deviceSequence), is: [1, 2, 3], "the counter has no gaps")
            try tried.expect(try await tried.waiting(), is: entries, "the queue keeps the order")
            let queued = try await tried.store.waiting(in: tried.list, limit: 10)
            try tried.expect(
                queued.last?.made, is: Samples.time(5), "the queue has the time at which each entry was made")
            try tried.expect(
                try await tried.store.waiting(in: tried.list, limit: 2).count, is: 2,
                "no more entries are read than requested")
            try tried.expect(
                try await tried.pending(), is: entries, "the device's own entries are in the journal at once")
            let again = try await tried.reopened().waiting(in: tried.list, limit: 10)
            try tried.expect(again, is: queued, "the queue survives a restart")
        },
        QueueStoreCheck("an unknown list is an error") { tried in
            do {
                _ = try await tried.store.append([Samples.add("x")], to: Samples.id(), made: Samples.time())
            } catch QueueStoreError.noSuchList { return }
            try tried.expect(false, "noSuchList is thrown")
        },
        QueueStoreCheck("the report counts waiting entries and gives their age") { tried in
            _ = try await tried.makeList([Samples.add("milk"), Samples.add("bread")])
            let report = try await tried.store.report(at: Samples.time(105))
            try tried.expect(report.upload, is: ["add": 2], "the report counts the upload queue by operation")
            try tried.expect(report.toApply.isEmpty && report.failures.isEmpty, "nothing else is reported")
            try tried.expect(report.oldestAge, is: 105, "the report has the age of the oldest entry")
            try tried.expect(report.held, is: [tried.list: 1], "the report has the first number that waits")
        },
        QueueStoreCheck("a verdict removes the entry from the upload queue; a rejected entry is listed") { tried in
            let own = try await tried.makeList([Samples.add("milk"), Samples.add("bread"), Samples.add("eggs")])
            try await tried.store.noteSending(own.map(\.id), in: tried.list)
            let refused = UploadVerdict(entry: own[1].id, outcome: .rejected(.invalidArguments, "no"))
            try await tried.store.settle([tried.accepted(own[0], 1), refused], in: tried.list, at: tried.now)
            let list = try await tried.store.deviceStatus().lists.first
            try tried.expect(list?.waiting, is: 1, "an entry with a verdict no longer waits")
            try tried.expect(list?.isPublished, is: true, "the service has the list")
            try tried.expect(try await tried.pending(), is: [own[0], own[2]], "accepted entries are still shown")
            let rejected = try await tried.store.rejected()
            try tried.expect(rejected.map(\.entry), is: [own[1]], "rejected entries are kept")
            try tried.expect(rejected.first?.code, is: .invalidArguments, "a rejected entry has the service's code")
            try tried.expect(
                try await tried.store.refusals(),
                is: [PastFailure(code: "invalidArguments", count: 1, at: tried.now)], "rejections are counted")
        },
        QueueStoreCheck("an id in two lists is two entries") { tried in
            let own = try await tried.makeList([Samples.add("eggs")])[0]
            let party: ListID = Samples.id()
            try await tried.store.addList(party)
            let twin = try await tried.store.append([own], to: party, made: Samples.time(6))[0]
            let full = UploadVerdict(entry: own.id, outcome: .rejected(.quotaExceeded, nil))
            try await tried.store.settle([full], in: party, at: tried.now)
            try tried.expect(
                try await tried.store.rejected().map(\.entry), is: [twin], "the entry in the other list is rejected")
            try tried.expect(
                try await tried.store.rejected().map(\.list), is: [party], "the rejected entry names its list")
            try tried.expect(try await tried.waiting(), is: [own], "the entry of the same id in this list still waits")
            let theirs = Samples.add("jam")
            try await tried.fetch(tried.page([tried.change(theirs, 1)], token: "a", snapshot: true))
            _ = try await tried.store.receive(
                tried.page([tried.change(theirs, 1)], of: party, token: "p", snapshot: true), at: tried.now)
            try tried.expect(
                try await tried.store.toApply(in: party).map(\.entry), is: [theirs],
                "each list has its own to-apply queue")
            try await tried.store.apply(in: party, shopping: false)
            _ = try await tried.store.receive(tried.gone(party, .removed), at: tried.now)
            try tried.expect(try await tried.applied(), is: [theirs], "the other list is removed, this one stays")
        },
        QueueStoreCheck("the retry state survives a restart") { tried in
            var retryState = RetryState()
            retryState.failures = 3
            retryState.nextTry = tried.now
            try await tried.store.saveRetryState(retryState)
            try tried.expect(
                try await tried.reopened().deviceStatus().retryState, is: retryState, "the retry state is kept")
        },
    ]
}
