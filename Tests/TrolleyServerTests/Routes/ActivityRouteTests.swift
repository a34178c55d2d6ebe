import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Activity and replay over HTTP", .timeLimit(.minutes(20)))
struct ActivityRouteTests {
    @Test("the Activity has every entry and every coming and going, newest first, in pages that add up")
    func activity() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            _ = try await service.upload([milk, .add("bread", 2)], to: list, by: anna)
            try await service.add(ben, to: list, of: anna)
            let off = JournalEntry(id: .random(), operation: .markOff, item: milk.item, deviceSequence: 1)
            _ = try await service.upload([off], to: list, by: ben)

            let whole = try await service.activity(list, for: anna)
            #expect(whole.activity.map(\.sequence.rawValue) == [5, 4, 3, 2, 1] && whole.next == nil)
            #expect(whole.activity.map(\.authorName) == ["ben", nil, nil, "anna", "anna"])
            #expect(whole.activity.map(\.kind) == [nil, .joined, .invited, nil, nil])
            for limit in 1...6 {
                var (paged, before): ([ActivityItem], String?) = ([], nil)
                repeat {
                    let page = try await service.activity(list, for: anna, "&before=", before, "&limit=", "\(limit)")
                    #expect(page.activity.count <= limit)
                    paged += page.activity
                    before = page.next
                } while before != nil
                #expect(paged == whole.activity, "limit \(limit)")
            }
            let ofMilk = try await service.activity(list, for: anna, "&item=", milk.item?.description)
            #expect(ofMilk.activity.map(\.sequence.rawValue) == [5, 1])
            let ofBen = try await service.activity(list, for: anna, "&account=", "\(ben.account)")
            #expect(ofBen.activity.map(\.sequence.rawValue) == [5, 4, 3])
        }
    }

    @Test("each line names the item as it was called then, also once it is deleted and compressed away")
    func itemTexts() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            func change(_ operation: TrolleyJournal.Operation, _ number: Int64, _ text: String? = nil) -> JournalEntry {
                var entry = JournalEntry(id: .random(), operation: operation, item: milk.item, deviceSequence: number)
                if let text { entry.fields[Fields.text] = .string(text) }
                return entry
            }
            let entries = [
                milk, .add("bread", 2), change(.edit, 3, "oat milk"), change(.markOff, 4), change(.delete, 5),
            ]
            _ = try await service.upload(entries, to: list, by: anna)
            // This entry was made before all of these on an offline device, so it doesn't rename the item.
            let late = UploadRequest(entries: [UploadEntry(entry: change(.edit, 6, "goat milk"), age: 60_000)])
            #expect(
                try await service.call("POST", Path.entries(list), token: anna.token, body: late.json).status == 200)
            // Further back than one page.
            let filler = (0..<60).map { JournalEntry.add("item \($0)", Int64($0) + 7) }
            _ = try await service.upload(filler, to: list, by: anna)
            var texts = [1: "milk", 2: "bread", 3: "oat milk", 4: "oat milk", 5: "oat milk", 6: "oat milk"]
            for number in 0..<60 { texts[7 + number] = "item \(number)" }
            for isCompressed in [false, true] {
                if isCompressed {
                    let cutOff = try await service.service.store.now().advanced(byMilliseconds: 1)
                    #expect(try await service.service.store.compress(list, olderThan: cutOff)?.discarded ?? 0 > 0)
                }
                for limit in ["1", "7", "100"] {
                    var (found, before): ([Int: String], String?) = ([:], nil)
                    repeat {
                        let page = try await service.activity(list, for: anna, "&before=", before, "&limit=", limit)
                        for each in page.activity { found[Int(each.sequence.rawValue)] = each.itemText }
                        before = page.next
                    } while before != nil
                    #expect(found == texts, "compressed: \(isCompressed), limit \(limit)")
                }
            }
            // A device's replay without the service follows the same rule.
            var known = ItemTexts()
            let whole = try await service.activity(list, for: anna, "&limit=", "100").activity.reversed()
            for case (.entry(let entry), let text) in whole.map({ ($0.event, $0.itemText) }) {
                #expect(known.take(entry) == text)
            }
        }
    }

    @Test("a list can be seen as it was after each of its changes")
    func replay() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            let gone = JournalEntry(id: .random(), operation: .delete, item: milk.item, deviceSequence: 3)
            _ = try await service.upload([milk, .add("bread", 2), gone], to: list, by: anna)
            let expected: [Int64: [String]] = [0: [], 1: ["milk"], 2: ["bread", "milk"], 3: ["bread"], 99: ["bread"]]
            for (sequence, texts) in expected {
                let answer = try await service.call(
                    "GET", "\(Path.replay(list))?through=\(sequence)", token: anna.token)
                #expect(answer.status == 200)
                let replay: Replay = try answer.decode()
                #expect(replay.items.map(\.text) == texts, "through \(sequence)")
                #expect(replay.sequence == min(sequence, 3) && replay.head == 3)
            }
        }
    }

    @Test("a list can be seen as it was at a time, and what puts it back to that comes along")
    func restoration() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            _ = try await service.upload([milk, .add("bread", 2)], to: list, by: anna)
            let before = try await service.activity(list, for: anna, "&limit=", "1").activity[0].at
            // What follows is later.
            try await eventually {
                try await service.service.store.now()
            } until: {
                $0 > before
            }
            let gone = JournalEntry(id: .random(), operation: .delete, item: milk.item, deviceSequence: 3)
            let renamed = JournalEntry(
                id: .random(), operation: .renameList, fields: ["text": "Party"], deviceSequence: 4)
            _ = try await service.upload([gone, renamed], to: list, by: anna)
            for point in ["at=\(before)", "through=2"] {
                let answer = try await service.call("GET", "\(Path.restoration(list))?\(point)", token: anna.token)
                #expect(answer.status == 200)
                let replay: Replay = try answer.decode()
                #expect(replay.items.map(\.text) == ["bread", "milk"] && replay.sequence == 2 && replay.head == 4)
                let plan = answer.text
                #expect(plan.contains(#"{"operation":"renameList","fields":{"text":null}}"#), "\(plan)")
                #expect(plan.contains(#"{"operation":"edit","item":"\#(milk.item?.description ?? "")"}"#), "\(plan)")
            }
            let replayed = try await service.call("GET", "\(Path.replay(list))?at=\(before)", token: anna.token)
            let replay: Replay = try replayed.decode()
            #expect(replay.items.map(\.text) == ["bread", "milk"] && !replayed.text.contains("entries"))
        }
    }

    @Test(
        "what is asked for wrongly is refused",
        arguments: [
            ("activity?before=x", "400 invalidArguments"), ("activity?account=x", "400 invalidArguments"),
            ("activity?item=x", "400 invalidArguments"), ("activity?limit=0", "400 invalidArguments"),
            ("replay?through=x", "400 invalidArguments"), ("replay?through=-1", "400 invalidArguments"),
            ("replay?at=noon", "400 invalidArguments"),
            ("restoration?at=noon", "400 invalidArguments"),
        ])
    func refused(call: String, outcome: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            #expect(try await service.call("GET", "\(Path.list(list))/\(call)", token: anna.token).outcome == outcome)
        }
    }

    @Test("an owner who stops sharing is alone on the list, and the other people get the reason")
    func stopSharing() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let secret = try await service.invite(nil, to: list, of: anna)
            let path = Path.share(list)
            #expect(try await service.call("DELETE", path, token: ben.token).outcome == "403 permissionFailure")
            #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            #expect(try await service.call("GET", path, token: ben.token).problem.reason == .stoppedSharing)
            #expect(try await service.allChanges([list: "x"], for: ben).gone == [list: .stoppedSharing])
            #expect(
                try await service.open(Path.accept, secret, by: ben).outcome == "404 unknownItem")
            let share: ShareResponse = try await service.call("GET", path, token: anna.token).decode()
            #expect(share.share.participants.map(\.name) == ["anna"])
        }
    }

    private struct Replay: Decodable {
        struct Item: Decodable { let text: String }
        let sequence: Int64
        let head: Int64
        let items: [Item]
    }
}

extension TestService {
    /// - Parameter query: names and values in turn; a nil value leaves its name out.
    fileprivate func activity(_ list: ListID, for person: Person, _ query: String?...) async throws -> ActivityPage {
        let pairs = stride(from: 0, to: query.count, by: 2).compactMap { index -> String? in
            guard let name = query[index], let value = query[index + 1] else { return nil }
            return name + value
        }
        let answer = try await call("GET", "\(Path.activity(list))?\(pairs.joined())", token: person.token)
        try #require(answer.status == 200)
        return try ActivityPage(json: answer.body)
    }
}

extension ActivityItem {
    fileprivate var kind: ParticipantChange.Kind? {
        if case .participant(let change) = event { change.kind } else { nil }
    }
}
