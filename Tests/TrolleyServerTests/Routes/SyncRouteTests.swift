import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("A sync over HTTP", .timeLimit(.minutes(20)))
struct SyncRouteTests {
    @Test("a snapshot in pages of a list whose trail was dropped comes to its end")
    func snapshotWithoutTrail() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            var entries = (1...6).map { JournalEntry.add("item \($0)", Int64($0)) }
            let gone = JournalEntry(id: .random(), operation: .delete, item: entries[5].item, deviceSequence: 7)
            entries.append(gone)
            _ = try await service.upload(entries, to: list, by: anna)
            let store = service.service.store
            let later = try await store.now().advanced(byMilliseconds: 1)
            _ = try await store.compress(list, olderThan: later)
            #expect(try await store.dropTrail(olderThan: store.now().advanced(byMilliseconds: 1)) == 1)
            _ = try await service.upload([.add("bread", 8)], to: list, by: anna)
            var (token, texts) = (String?.none, [String]())
            repeat {
                let page = try await service.changes(list, for: anna, since: token, limit: 2)
                texts += page.entries.compactMap { $0.entry.fields[Fields.text]?.string }
                token = page.moreComing ? page.token : nil
            } while token != nil
            #expect(texts == (1...5).map { "item \($0)" } + ["bread"])
        }
    }

    @Test("pages of any size add up, and the last token waits for what is new")
    func paging() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let entries = (1...7).map { JournalEntry.add("item \($0)", Int64($0)) }
            _ = try await service.upload(entries, to: list, by: anna)
            let whole = try await service.changes(list, for: anna)
            #expect(whole.sequences == Array(1...7) && whole.snapshot && !whole.moreComing)
            for limit in 1...8 {
                var (token, sequences, isFirst): (String?, [Int64], Bool) = (nil, [], true)
                while true {
                    let page = try await service.changes(list, for: anna, since: token, limit: limit)
                    #expect(page.changes.count <= limit && page.snapshot == isFirst)
                    sequences += page.sequences
                    (token, isFirst) = (page.token, false)
                    if !page.moreComing { break }
                }
                #expect(sequences == Array(1...7), "limit \(limit)")
                #expect(token == whole.token)
            }
            #expect(try await service.changes(list, for: anna, since: whole.token).changes.isEmpty)
            let sent = try await service.upload([.add("more", 8)], to: list, by: anna)
            let next = try await service.changes(list, for: anna, since: whole.token)
            #expect(next.sequences == [8] && next.token == sent.token && !next.snapshot)
        }
    }

    @Test("a page never has more than the service allows")
    func pageCap() async throws {
        try await TestService.with(limits: Limits(changesPerPage: 3, defaultChangesPerPage: 2)) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload((1...5).map { .add("x", $0) }, to: list, by: anna)
            #expect(try await service.changes(list, for: anna).changes.count == 2)
            #expect(try await service.changes(list, for: anna, limit: 1000).changes.count == 3)
        }
    }

    @Test("all lists come in one trip, in pages that keep within the limit over all of them")
    func allLists() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            var lists: [ListID] = []
            for count in [3, 0, 5, 1] {
                let list = try await service.list(of: anna)
                _ = try await service.upload((0..<count).map { .add("x", Int64($0 + 1)) }, to: list, by: anna)
                lists.append(list)
            }
            for limit in 1...10 {
                var (tokens, sequences): ([ListID: String], [ListID: [Int64]]) = ([:], [:])
                var trips = 0
                while true {
                    let answer = try await service.allChanges(tokens, for: anna, limit: limit)
                    #expect(answer.lists.reduce(0) { $0 + $1.page.changes.count } <= limit)
                    for list in answer.lists {
                        #expect(list.page.snapshot == (tokens[list.id] == nil))
                        tokens[list.id] = list.page.token
                        sequences[list.id, default: []] += list.page.sequences
                    }
                    trips += 1
                    if !answer.moreComing { break }
                    try #require(trips < 20)
                }
                #expect(lists.map { sequences[$0] } == [[1, 2, 3], [], [1, 2, 3, 4, 5], [1]], "limit \(limit)")
            }
            let tokens = try await service.allChanges([:], for: anna).lists
            let quiet = try await service.allChanges(
                Dictionary(uniqueKeysWithValues: tokens.map { ($0.id, $0.page.token) }), for: anna)
            #expect(quiet.lists.isEmpty && quiet.expired.isEmpty && quiet.gone.isEmpty && !quiet.moreComing)
        }
    }

    @Test("two people make, share, change and leave a list")
    func sharing() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            let rename = JournalEntry(
                id: .random(), operation: .renameList, fields: ["text": "Weekly shop"], deviceSequence: 2)
            _ = try await service.upload([milk, rename], to: list, by: anna)

            let secret = try await service.invite("ben@example.com", to: list, of: anna)
            let look: InvitationPreview = try await service.open(Path.previewInvitation, secret, by: ben)
                .decode()
            #expect(look.list == list && look.name == "Weekly shop" && look.owner == "anna" && !look.accepted)
            let joined: ListResponse = try await service.open(Path.accept, secret, by: ben)
                .decode()
            #expect(joined.id == list && joined.role == .participant && joined.permission == .readWrite)
            #expect(try await service.open(Path.accept, secret, by: ben).status == 200)

            let off = JournalEntry(id: .random(), operation: .markOff, item: milk.item, deviceSequence: 1)
            #expect(try await service.upload([off], to: list, by: ben).results.map(\.sequence?.rawValue) == [5])
            let state = try await service.call("GET", Path.state(list), token: anna.token)
            #expect(state.text.contains(#""name":"Weekly shop""#) && state.text.contains(#""markedOff":true"#))
            #expect(state.headers["cache-control"] == "no-store")
            let share: ShareResponse = try await service.call("GET", Path.share(list), token: ben.token).decode()
            #expect(share.share.participants.map(\.name) == ["anna", "ben"])

            #expect(try await service.call("DELETE", Path.list(list), token: ben.token).status == 204)
            let left: ListsResponse = try await service.call("GET", Path.lists, token: ben.token).decode()
            #expect(left.lists.isEmpty)
            #expect(try await service.changes(list, for: anna).sequences == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test(
        "an invitation that isn't for you is told apart in nothing from one that there isn't",
        arguments: [Path.previewInvitation, Path.accept, Path.decline])
    func foreignInvitation(path: String) async throws {
        try await TestService.with { service in
            let (anna, mallory) = (try await service.person("anna"), try await service.person("mallory"))
            let list = try await service.list(of: anna)
            let secret = try await service.invite("ben@example.com", to: list, of: anna)
            let foreign = try await service.open(path, secret, by: mallory, headers: ["x-request-id": "same"])
            let none = try await service.open(path, "x", by: mallory, headers: ["x-request-id": "same"])
            #expect(try foreign.outcome == "404 unknownItem")
            #expect(foreign.body == none.body)
        }
    }

    @Test("a list has room for 100 people")
    func hundred() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            for number in 1...99 { _ = try await service.invite("guest\(number)@example.com", to: list, of: anna) }
            let answer = try await service.call(
                "POST", Path.invitations(list), token: anna.token, json: #"{"email":"one-too-many@example.com"}"#)
            #expect(try answer.outcome == "409 tooManyParticipants")
        }
    }
}
