import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("Epochs over HTTP", .timeLimit(.minutes(20)))
struct EpochRouteTests {
    @Test("in a new epoch every token is expired, at every process, without a restart")
    func declared() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let token = try await service.changes(list, for: anna).token
            let present = try await service.service.store.epoch()
            // Another process does the same.
            let next = try await Store(pool: service.pool).beginEpoch(after: present.id, because: .declared)
            #expect(next.id != present.id && next.reason == .declared)
            #expect(try await service.get(list, since: token, for: anna) == "410 changeTokenExpired")
            #expect(try await service.allChanges([list: token], for: anna).expired == [list])
            let fresh = try await service.changes(list, for: anna)
            #expect(fresh.sequences == [1] && fresh.snapshot && fresh.token != token)
            // A process that still considers the old epoch current changes nothing.
            let again = try await Store(pool: service.pool).beginEpoch(after: present.id, because: .declared)
            #expect(again == next)
        }
    }

    @Test("a token beyond the list's head proves that the database went back, and begins an epoch")
    func wentBack() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload((1...4).map { .add("x", $0) }, to: list, by: anna)
            let early = try await service.changes(list, for: anna, limit: 2).token
            let late = try await service.changes(list, for: anna).token
            let before = try await service.service.store.epoch()
            try await service.goBack(list, to: 3)
            #expect(try await service.changes(list, for: anna, since: early).sequences == [3])
            #expect(try await service.allChanges([list: late], for: anna).expired == [list])
            let after = try await service.service.store.epoch()
            #expect(after.id != before.id && after.reason == .wentBack)
            // Devices that have seen no more than the remaining changes learn of it, too.
            #expect(try await service.get(list, since: early, for: anna) == "410 changeTokenExpired")
        }
    }

    @Test("a token for a sequence that now has another change is refused, although the list has passed it")
    func writtenAnew() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let entries = (1...4).map { JournalEntry.add("x", $0) }
            _ = try await service.upload(entries, to: list, by: anna)
            let uploaded = try await service.upload([.add("last", 5)], to: list, by: anna).token
            let fetched = try await service.changes(list, for: anna).token
            #expect(uploaded == fetched)
            try await service.goBack(list, to: 2)
            _ = try await service.upload((6...9).map { .add("y", $0) }, to: list, by: anna)
            let epoch = try await service.service.store.epoch()
            #expect(try await service.get(list, since: fetched, for: anna) == "410 changeTokenExpired")
            #expect(try await service.service.store.epoch().id != epoch.id)
        }
    }

    @Test("a list that the database has lost is not said to be gone: the device may be all that knows it")
    func lostList() async throws {
        try await TestService.with { service in
            let (anna, mallory) = (try await service.person("anna"), try await service.person("mallory"))
            let (list, kept) = (try await service.list(of: anna), try await service.list(of: anna))
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            _ = try await service.upload([.add("milk")], to: kept, by: anna)
            let token = try await service.changes(list, for: anna).token
            let keptToken = try await service.changes(kept, for: anna).token
            let epoch = try await service.service.store.epoch()
            // Another person's token grants no access and proves nothing.
            let answer = try await service.allChanges([kept: keptToken], for: mallory)
            #expect(answer.lists.isEmpty && answer.expired == [kept])
            #expect(try await service.service.store.epoch().id == epoch.id)
            try await service.pool.withConnection { connection in
                for table in ["entry", "event", "member"] {
                    try await connection.execute("DELETE FROM \(unescaped: table) WHERE list_id = \(list)")
                }
                try await connection.execute("DELETE FROM list WHERE id = \(list)")
            }
            let lost = try await service.allChanges([list: token], for: anna)
            #expect(lost.gone.isEmpty && lost.expired.contains(list))
            #expect(try await service.service.store.epoch().id != epoch.id)
        }
    }

    @Test("tokens of before there were marks are honoured")
    func version1() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk"), .add("eggs", 2)], to: list, by: anna)
            let epoch = try await service.service.store.epoch()
            let token = ChangeToken(list: list, epoch: epoch.id, sequence: SequenceNumber(rawValue: 1))
            let text = token.text(key: service.service.tokenKey)
            #expect(text.utf8.count == 44)
            #expect(try await service.changes(list, for: anna, since: text).sequences == [2])
        }
    }
}

@Suite("The trail over HTTP", .timeLimit(.minutes(20)))
struct TrailRouteTests {
    @Test("a token older than the trail is expired, one that has all of it is not, and a snapshot needs none of it")
    func trail() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let items = (1...3).map { JournalEntry.add("x", $0) }
            _ = try await service.upload(items, to: list, by: anna)
            let old = try await service.changes(list, for: anna).token
            let gone = items.map { item in
                JournalEntry(id: .random(), operation: .delete, item: item.item, deviceSequence: 4)
            }
            _ = try await service.upload(Array(gone.prefix(2)), to: list, by: anna)
            let store = service.service.store
            let cutOff = try await store.now().advanced(byMilliseconds: 1)
            #expect(try await store.compress(list, olderThan: cutOff)?.discarded == 4)
            let current = try await service.changes(list, for: anna, since: old).token
            _ = try await service.upload([.add("y", 7), .add("z", 8)], to: list, by: anna)
            #expect(try await store.dropTrail(olderThan: try await store.now().advanced(byMilliseconds: 1)) == 1)

            #expect(try await service.get(list, since: old, for: anna) == "410 changeTokenExpired")
            #expect(try await service.allChanges([list: old], for: anna).expired == [list])
            #expect(try await service.changes(list, for: anna, since: current).sequences == [7, 8])
            // A snapshot in pages, whose first tokens stand for places before the trail begins.
            var (token, sequences): (String?, [Int64]) = (nil, [])
            repeat {
                let page = try await service.changes(list, for: anna, since: token, limit: 1)
                sequences += page.sequences
                token = page.token
                if !page.moreComing { break }
            } while true
            #expect(sequences == [3, 7, 8])

            // The trail is cut while a snapshot is fetched, so the fetched part may be stale.
            let first = try await service.changes(list, for: anna, limit: 1).token
            _ = try await service.upload([gone[2]], to: list, by: anna)
            let later = try await store.now().advanced(byMilliseconds: 1)
            #expect(try await store.compress(list, olderThan: later)?.discarded == 2)
            #expect(try await store.dropTrail(olderThan: try await store.now().advanced(byMilliseconds: 1)) == 1)
            #expect(try await service.get(list, since: first, for: anna) == "410 changeTokenExpired")
            // The newest change was that discard, so a device that has it is up to date.
            let whole = try await service.changes(list, for: anna)
            #expect(whole.sequences == [7, 8] && !whole.moreComing)
            #expect(try await service.changes(list, for: anna, since: whole.token).changes.isEmpty)
        }
    }
}

@Suite("Tokens at places that entries have left", .timeLimit(.minutes(20)))
struct LeftPlaceTests {
    @Test("a token of each place is honoured, also where an entry came back and was compressed again, again and again")
    func returned() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let store = service.service.store
            let milk = JournalEntry.add("milk", 1)
            func change(_ operation: TrolleyJournal.Operation) -> JournalEntry {
                JournalEntry(id: .random(), operation: operation, item: milk.item, deviceSequence: 2)
            }
            _ = try await service.upload([milk, .add("eggs", 2)], to: list, by: anna)
            var tokens: [String] = []
            for _ in 0..<3 {
                // The item is compressed away, a mark arrives too late, and somebody wants the item again, so all its
                // entries get new places.
                _ = try await service.upload([change(.delete)], to: list, by: anna)
                let cutOff = try await store.now().advanced(byMilliseconds: 1)
                #expect(try await store.compress(list, olderThan: cutOff)?.discarded ?? 0 > 0)
                _ = try await service.upload([change(.markOff), change(.unmark)], to: list, by: anna)
                var page = try await service.changes(list, for: anna, since: tokens.last, limit: 1)
                while !page.changes.isEmpty {
                    tokens.append(page.token)
                    page = try await service.changes(list, for: anna, since: page.token, limit: 1)
                }
            }
            _ = try await service.upload([change(.delete)], to: list, by: anna)
            let cutOff = try await store.now().advanced(byMilliseconds: 1)
            #expect(try await store.compress(list, olderThan: cutOff)?.discarded ?? 0 > 0)
            #expect(tokens.count > 12)
            for (place, token) in tokens.enumerated() {
                #expect(try await service.get(list, since: token, for: anna) == "200", "token \(place)")
            }
            #expect(try await service.allChanges([list: tokens[tokens.count - 2]], for: anna).expired.isEmpty)
        }
    }
}

extension TestService {
    /// The answer of `changes` to a token.
    func get(_ list: ListID, since token: String, for person: Person) async throws -> String {
        try await call("GET", "\(Path.changes(list))?since=\(token)", token: person.token).outcome
    }

    /// Changes a list to its state in an older copy of the database.
    func goBack(_ list: ListID, to sequence: Int64) async throws {
        try await pool.withConnection { connection in
            try await connection.execute("DELETE FROM entry WHERE list_id = \(list) AND sequence > \(sequence)")
            try await connection.execute("UPDATE list SET head = \(sequence) WHERE id = \(list)")
        }
    }
}
