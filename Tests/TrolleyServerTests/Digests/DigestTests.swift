import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Digests that devices ask for", .timeLimit(.minutes(20)))
struct DigestTests {
    @Test("a digest is kept for the place that it is of, and lists that nobody asks for are forgotten")
    func cache() {
        var cache = DigestCache(maximum: 2)
        let lists = (0..<5).map { _ in ListID.random() }
        let digest = ListState().digest
        func place(_ list: Int, _ head: Int64 = 1, _ epoch: UInt64 = 1) -> DigestCache.Place {
            .init(list: lists[list], epoch: UUIDBits(high: epoch, low: 0), head: SequenceNumber(rawValue: head))
        }
        cache.insert(digest, at: place(0))
        #expect(cache.digest(at: place(0)) == digest)
        #expect(cache.digest(at: place(0, 2)) == nil && cache.digest(at: place(0, 1, 2)) == nil)
        for list in 1..<5 {
            cache.insert(digest, at: place(list))
            // The requested digest stays.
            #expect(cache.digest(at: place(0)) == digest)
            #expect(cache.count <= 4)
        }
        #expect(cache.digest(at: place(1)) == nil)
    }

    @Test("a list is folded once for each place it reaches, and never for a device that is not on it")
    func once() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let store = Store(pool: service.pool)
            let folder = DigestFolder(store: store, metrics: ServiceMetrics())
            func digest() async throws -> String { try await store.state(of: list, for: anna.account).digest }
            func changeRange() async throws -> ChangeRange {
                try await store.changes(of: list, for: anna.account, after: .start, limit: 10)
            }
            let old = try await changeRange()
            // Before the list was folded, only people on the list get the digest.
            #expect(try await folder.digests(of: [old], for: ben.account) == [:])
            let first = try await folder.digests(of: [old], for: anna.account, budget: 1)
            #expect(try await first[list]?.description == digest())
            // The digest is known, so it takes neither a place nor budget.
            let again = try await folder.gate.withTurn(of: ben.account) {
                try await folder.digests(of: [old], for: anna.account, budget: 0)
            }
            #expect(again == first)
            _ = try await service.upload([.add("bread", 2)], to: list, by: anna)
            let new = try await changeRange()
            let later = try await folder.digests(of: [new], for: anna.account)
            #expect(try await later[list]?.description == digest())
            // An earlier range of entries, whose fold is no longer known, isn't the present list.
            #expect(try await folder.digests(of: [old], for: anna.account) == [:])
        }
    }

    @Test("a request folds lists until its budget is used up, and the next one goes on from there")
    func budget() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            for _ in 0..<5 {
                let list = try await service.list(of: anna)
                _ = try await service.upload([.add("milk"), .add("bread", 2)], to: list, by: anna)
            }
            let store = Store(pool: service.pool)
            let folder = DigestFolder(store: store, metrics: ServiceMetrics())
            let changeRanges = try await store.changes(for: anna.account, after: [:], limit: 100).changeRanges
            for expected in [2, 4, 5, 5] {
                let digests = try await folder.digests(of: changeRanges, for: anna.account, budget: 3)
                #expect(digests.count == expected)
            }
        }
    }

    @Test("an account with a long read waits for no digest and delays no other account's digest")
    func behindLongReads() async throws {
        try await TestService.with(connections: 6) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            var changeRanges: [ChangeRange] = []
            let store = Store(pool: service.pool)
            for person in [anna, ben] {
                let list = try await service.list(of: person)
                _ = try await service.upload([.add("milk")], to: list, by: person)
                changeRanges.append(try await store.changes(of: list, for: person.account, after: .start, limit: 10))
            }
            let folder = DigestFolder(store: store, metrics: ServiceMetrics())
            let (hers, his) = try await store.gate.withTurn(of: anna.account) {
                let hers = try await folder.digests(of: [changeRanges[0]], for: anna.account)
                return (hers, try await folder.digests(of: [changeRanges[1]], for: ben.account))
            }
            #expect(hers.isEmpty && his.count == 1)
            #expect(try await folder.digests(of: [changeRanges[0]], for: anna.account).count == 1)
        }
    }

    @Test("without memory to fold, an answer has no digests, and a later answer has them")
    func crowded() async throws {
        try await TestService.with(connections: 6) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let token = try await service.upload([.add("milk")], to: list, by: anna).token
            func ask() async throws -> AllChangesResponse {
                let answer = try await service.call(
                    "POST", Path.changes, token: anna.token,
                    json: #"{"tokens":{"\#(list)":"\#(token)"},"digests":true}"#)
                return try AllChangesResponse(json: answer.body)
            }
            let gate = service.service.feed.digestFolder.gate
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await gate.withTurn(of: ben.account) {
                    // As many requests as may wait, each of another account, so her request displaces no account's only
                    // one.
                    for _ in 0..<DigestFolder.waiting { group.addTask { try await gate.withTurn(of: .random()) {} } }
                    try await eventually {
                        gate.waiting
                    } until: {
                        $0 >= DigestFolder.waiting
                    }
                    #expect(try await ask().lists.isEmpty)
                }
                try await group.waitForAll()
            }
            let digest = try await service.state(list, for: anna)
            #expect(try await ask().lists.map(\.page.digest) == [digest])
            let metrics = try await service.call("GET", "/metrics").text
            #expect(metrics.contains(#"trolley_rate_limited_total{by="digests"} 1"#))
        }
    }
}

extension TestService {
    fileprivate func state(_ list: ListID, for person: Person) async throws -> StateDigest? {
        let store = Store(pool: pool)
        return try await store.foldIfIdle(list, for: person.account)?.fold.digest
    }
}
