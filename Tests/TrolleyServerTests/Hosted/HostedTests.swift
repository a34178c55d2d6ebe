import Foundation
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("Hosted devices", .timeLimit(.minutes(20)))
struct HostedTests {
    @Test("its additions are uploaded and reach everybody; other people's additions wait to be acknowledged")
    func bothWays() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let added = try await speaker.post("add", #"{"text":" milk ","fields":{"quantity":"2 l"}}"#)
            #expect(added.status == 200 && added.text.contains(#""waiting":0"#))
            let entry = try #require(try await service.changes(list, for: anna).entries.first)
            #expect(entry.entry.item?.description == (try added.field("item", "id")))
            #expect(entry.entry.fields["text"] == .string("milk") && entry.device == speaker.device)
            #expect(entry.author == anna.account)

            let bread = JournalEntry.add("bread")
            _ = try await service.upload([bread], to: list, by: anna)
            // The hint arrives without another request.
            var toApply = try await speaker.get("to-apply")
            while try toApply.count("entries") == 0 { toApply = try await speaker.get("to-apply") }
            #expect(toApply.text.contains("\(bread.id)") && !toApply.text.contains("milk"), "one's own is no news")
            #expect(try await speaker.get("list").text.contains("bread"), "the list shows it all the same")

            #expect(try await speaker.get("to-apply").text == toApply.text, "until it is acknowledged")
            let body = #"{"entries":["\#(bread.id)","\#(EntryID.random())"]}"#
            #expect(try await speaker.post("acknowledge", body).text == #"{"acknowledged":1}"#)
            #expect(try await speaker.post("acknowledge", body).text == #"{"acknowledged":0}"#)
            #expect(try await speaker.get("to-apply").text == #"{"entries":[],"toApply":0}"#)
        }
    }

    @Test("what is said is read like a pasted line, and an item that is on the list is not added again")
    func additions() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            func add(_ body: String) async throws -> String {
                let answer = try await speaker.post("add", body)
                #expect(answer.status == 200, "\(answer.text)")
                return answer.text
            }
            let milk = try await add(#"{"text":"2x Milk"}"#)
            #expect(milk.contains(#""text":"Milk","markedOff":false"#) && milk.contains(#""quantity":"2""#), "\(milk)")
            // The same item again, with a missing field.
            let again = try await add(#"{"text":"milk"}"#)
            #expect(again.contains(#""entry":null"#) && again.contains(#""status":"present","waiting":0"#), "\(again)")
            let noted = try await add(#"{"text":"MILK","fields":{"note":"fresh"}}"#)
            #expect(noted.contains(#""note":"fresh""#) && noted.contains(#""status":"made","waiting":0"#), "\(noted)")
            // Another quantity is another item.
            #expect(try await add(#"{"text":"milk, 1 l"}"#).contains(#""quantity":"1 l""#))
            // A marked-off item comes back, with the new fields.
            _ = try await add(#"{"text":"Äpfel"}"#)
            _ = try await speaker.post("off", #"{"text":"Äpfel"}"#)
            let back = try await add(#"{"text":"äpfel","fields":{"quantity":"1 kg"}}"#)
            #expect(
                back.contains(#""text":"Äpfel","markedOff":false"#) && back.contains(#""quantity":"1 kg""#), "\(back)")
            let state = try await service.call("GET", Path.state(list), token: anna.token).text
            #expect(state.ranges(of: #""text":"Milk","markedOff":"#).count == 1, "\(state)")
            #expect(state.ranges(of: #""markedOff":"#).count == 3 && state.contains(#""quantity":"1 kg""#), "\(state)")
            // A repeated request gets the first answer, also if the first request changed nothing.
            let entry = EntryID.random()
            for status in ["present", "duplicate"] {
                let answer = try await add(#"{"text":"milk","entry":"\#(entry)"}"#)
                #expect(answer.contains(#""status":"\#(status)""#), "\(answer)")
            }
            #expect(try await speaker.post("add", #"{"text":" - "}"#).outcome == "400 invalidArguments")
        }
    }

    @Test("items are marked off, unmarked, edited and deleted by text or by id")
    func changes() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            for text in ["milk", "oat milk", "bread"] {
                #expect(try await speaker.post("add", #"{"text":"\#(text)"}"#).status == 200)
            }
            let milk = try await speaker.post("off", #"{"text":"Milk"}"#).field("item", "id")
            #expect(
                try await speaker.post("edit", #"{"text":"brea","fields":{"text":"rye","note":"x"}}"#).status == 200)
            #expect(try await speaker.post("edit", #"{"text":"rye","fields":{"note":null}}"#).status == 200)
            #expect(try await speaker.post("delete", #"{"text":"oat"}"#).status == 200)
            var state = try await service.call("GET", Path.state(list), token: anna.token).text
            #expect(state.contains(#""text":"milk","markedOff":true"#))
            #expect(state.contains(#""text":"rye","markedOff":false,"fields":{"text":"rye"}"#))
            #expect(!state.contains("oat"))
            #expect(try await speaker.post("unmark", #"{"item":"\#(milk)"}"#).status == 200)
            state = try await service.call("GET", Path.state(list), token: anna.token).text
            #expect(state.contains(#""text":"milk","markedOff":false"#))
        }
    }

    @Test("a text that matches several items is answered with the candidates, one that matches none with an error")
    func ambiguous() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let speaker = try await service.hosted(of: anna, list: try await service.list(of: anna))
            for text in ["brown bread", "white bread"] {
                _ = try await speaker.post("add", #"{"text":"\#(text)"}"#)
            }
            let answer = try await speaker.post("off", #"{"text":"bread"}"#)
            #expect(try answer.outcome == "400 invalidArguments")
            #expect(try answer.problem.candidates?.map(\.text) == ["brown bread", "white bread"])
            #expect(
                try answer.problem.detail?.contains("bread") == false, "what people wrote stays out of the sentence")
            #expect(try await speaker.post("off", #"{"text":"jam"}"#).outcome == "404 unknownItem")
            #expect(try await speaker.post("off", #"{"item":"\#(ItemID.random())"}"#).outcome == "404 unknownItem")
        }
    }

    @Test("the same request again, by its key or its entry's id, is done once and answered alike")
    func idempotent() async throws {
        try await TestService.with(connections: 6) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let key = ["idempotency-key": "utterance 7"]
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await speaker.post("add", #"{"text":"milk"}"#, headers: key) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 })
            #expect(Set(try answers.map { try $0.field("entry") }).count == 1)
            #expect(answers.count { $0.text.contains(#""status":"made""#) } == 1)
            let milk = try #require(try await service.changes(list, for: anna).entries.first?.entry.id)
            let own = try await speaker.post("add", #"{"text":"jam","entry":"\#(milk)"}"#)
            #expect(try own.outcome == "409 serverRecordChanged", "an id that the list has")
            let off = try await speaker.post("off", #"{"text":"milk"}"#, headers: ["idempotency-key": "utterance 8"])
            let again = try await speaker.post("off", #"{"text":"milk"}"#, headers: ["idempotency-key": "utterance 8"])
            #expect(try off.field("entry") == again.field("entry"))
            let other = try await speaker.post("add", #"{"text":"jam"}"#, headers: key)
            #expect(try other.outcome == "409 serverRecordChanged")

            let entry = EntryID.random()
            for _ in 0..<2 {
                let body = #"{"text":"eggs","entry":"\#(entry)"}"#
                #expect(try await speaker.post("add", body).field("entry") == "\(entry)")
            }
            #expect(
                try await service.changes(list, for: anna).entries.map(\.entry.operation) == [.add, .markOff, .add])
        }
    }

    @Test("one entry id in two lists is two entries, and either can be acknowledged alone")
    func sameIDInTwoLists() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let lists = (try await service.list(of: anna), try await service.list(of: anna))
            let speaker = try await service.hosted(of: anna, list: lists.0)
            let (eggs, milk) = (EntryID.random(), JournalEntry.add("milk"))
            for list in [lists.0, lists.1] {
                let body = #"{"text":"eggs","entry":"\#(eggs)","list":"\#(list)"}"#
                #expect(try await speaker.post("add", body).field("entry") == "\(eggs)")
                _ = try await service.upload([milk], to: list, by: anna)
            }
            while try await speaker.get("to-apply").count("entries") < 2 {}
            let body = #"{"entries":["\#(milk.id)"],"list":"\#(lists.1)"}"#
            #expect(try await speaker.post("acknowledge", body).text == #"{"acknowledged":1}"#)
            let left = try await speaker.get("to-apply").text
            #expect(left.contains("\(lists.0)") && !left.contains("\(lists.1)"))
        }
    }

    @Test("which list: by name, by id, the default, the only one; else it asks")
    func lists() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let first = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna)
            let milk = try await speaker.post("add", #"{"text":"milk"}"#)
            #expect(try milk.field("list") == "\(first)", "the only one")
            let second = try await service.list(of: anna)
            let rename = JournalEntry(
                id: .random(), operation: .renameList, fields: ["text": .string("Party")], deviceSequence: 1)
            _ = try await service.upload([rename], to: second, by: anna)
            let cake = try await speaker.post("add", #"{"text":"cake","list":"party"}"#)
            #expect(try cake.field("list") == "\(second)", "by name, though it was new to the device")
            #expect(try await speaker.post("add", #"{"text":"x","list":"\#(first)"}"#).status == 200)
            let asked = try await speaker.post("add", #"{"text":"x"}"#)
            #expect(try asked.problem.candidates?.map(\.text).sorted() == ["", "Party"])
            #expect(try await speaker.post("add", #"{"text":"x","list":"nonsense"}"#).outcome == "404 listNotFound")
            let foreign = try await service.call(
                "POST", Path.hosted, token: anna.token, json: #"{"name":"x","list":"\#(ListID.random())"}"#)
            #expect(try foreign.outcome == "404 listNotFound")
        }
    }

    @Test("it has its account's permissions: it can't change a read-only list, and a list that it leaves is gone")
    func permissions() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna, .readOnly)
            let speaker = try await service.hosted(of: ben, list: list)
            #expect(try await speaker.post("add", #"{"text":"milk"}"#).outcome == "403 permissionFailure")
            try await service.call("DELETE", Path.participant(ben.account, of: list), token: anna.token)
            // A device may ask only so often, and a busy machine takes a while.
            let answer = try await eventually(every: .milliseconds(200)) {
                try await speaker.get("list")
            } until: {
                $0.status != 200
            }
            #expect(try answer.outcome == "404 listNotFound")
        }
    }

    @Test("its token opens this device and nothing else; a stranger and another hosted device find nothing")
    func tokens() async throws {
        try await TestService.with(connections: 4) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let radio = try await service.hosted(of: anna, list: list)
            for route in service.service.routes where !AccessTests.open.contains(route.description) {
                if route.pattern.hasPrefix("/v1/hosted/{device}/") { continue }
                let path = route.path(with: ["list": "\(list)", "device": "\(speaker.device)"], otherwise: "x")
                let answer = try await service.call(route.method, path, token: speaker.token, body: route.body)
                #expect(try answer.outcome == "401 notAuthenticated", "\(route)")
            }
            let path = "\(Path.hosted)/\(speaker.device)/list"
            for token in [ben.token, radio.token] {
                #expect(try await service.call("GET", path, token: token).outcome == "404 unknownItem")
            }
            #expect(try await service.call("GET", path, token: anna.token).status == 200, "its person's own device")
            #expect(
                try await service.call("DELETE", "\(Path.hosted)/\(speaker.device)", token: ben.token).outcome
                    == "404 unknownItem")
        }
    }

    @Test("they are listed without their tokens, and gone when they are deleted or signed out like any device")
    func listing() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let speaker = try await service.hosted(of: anna)
            let radio = try await service.hosted(of: anna)
            let listed = try await service.call("GET", Path.hosted, token: anna.token)
            let devices = try listed.decode(HostedDevicesResponse.self).devices
            #expect(devices.map(\.id) == [speaker.device, radio.device] && !listed.text.contains("token"))
            for path in ["\(Path.hosted)/\(speaker.device)", Path.device(radio.device)] {
                #expect(try await service.call("DELETE", path, token: anna.token).status == 204)
            }
            for device in [speaker, radio] {
                #expect(try await device.get("queue").outcome == "401 notAuthenticated")
            }
            let queues = try await service.pool.withConnection { connection in
                try await connection.execute("SELECT FROM hosted_list UNION ALL SELECT FROM hosted_device")
            }
            #expect(queues.isEmpty)
            let left = try await service.call("GET", Path.hosted, token: anna.token)
            #expect(left.text == #"{"devices":[]}"#)
        }
    }

    @Test("a rejected entry stays visible in its queue until it is dismissed")
    func rejected() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            let off = JournalEntry(id: .random(), operation: .markOff, item: milk.item, deviceSequence: 2)
            _ = try await service.upload([milk, off], to: list, by: anna)
            // The id is used by an entry that the device has never seen.
            let store = Store(pool: service.pool)
            let cutOff = try await store.now().advanced(byMilliseconds: 1)
            #expect(try await store.compress(list, olderThan: cutOff)?.discarded == 2)
            let speaker = try await service.hosted(of: anna, list: list)
            let answer = try await speaker.post("add", #"{"text":"jam","entry":"\#(milk.id)"}"#)
            #expect(answer.status == 200 && answer.text.contains(#""waiting":0"#))
            let queue = try await speaker.get("queue").text
            #expect(queue.contains(#""code":"serverRecordChanged""#) && queue.contains("jam"))
            #expect(try await !speaker.get("list").text.contains("jam"))
            #expect(try await speaker.call("DELETE", "rejected").status == 204)
            #expect(try await speaker.get("queue").text.contains(#""rejected":[]"#))
        }
    }

    @Test("entries that waited when a process died are sent by the next process; two processes at once send them once")
    func processes() async throws {
        // Polling finds a change without a signal.
        try await TestService.with(connections: 6, configure: { $0.pollInterval = .milliseconds(200) }) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let queues = HostedQueueStore(
                store: service.service.store, device: speaker.device, account: anna.account)
            let other = try await TrolleyServer.Service(
                store: service.service.store, configuration: service.service.configuration)
            for round in 1...3 {
                // The state after a process died between storing and sending.
                _ = try await queues.append([.add("item \(round)")], to: list, made: HostedClock.now())
                let session = Session(account: anna.account, device: speaker.device)
                async let one = service.service.hosted.drive(session, .push, waitLimit: .seconds(60))
                async let two = other.hosted.drive(session, .push, waitLimit: .seconds(60))
                #expect(await [one, two].compactMap { $0?.failure }.isEmpty)
                #expect(try await service.changes(list, for: anna).entries.count == round)
            }
            // Without any request, too.
            _ = try await queues.append([.add("later")], to: list, made: HostedClock.now())
            try await eventually {
                try await service.changes(list, for: anna).entries.count
            } until: {
                $0 == 4
            }
        }
    }

    @Test("a process renews its right to drive a device for as long as that takes")
    func renewal() async throws {
        try await TestService.with(connections: 6) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            func until(_ connection: Connection) async throws -> String? {
                try await connection.execute("SELECT driven_until::text FROM hosted_device")[0].decode(
                    String?.self, at: 0)
            }
            let adding = try await service.pool.withTransaction { connection in
                // The upload waits for the list.
                try await connection.execute("SELECT FROM list WHERE id = \(list) FOR NO KEY UPDATE")
                let adding = Task { try await speaker.post("add", #"{"text":"milk"}"#) }
                let first = try await eventually {
                    try await until(connection)
                } until: {
                    $0 != nil
                }
                try await eventually {
                    try await until(connection)
                } until: {
                    $0 != first
                }
                return adding
            }
            #expect(try await adding.value.status == 200)
            try await eventually {
                try await service.changes(list, for: anna).entries.count
            } until: {
                $0 == 1
            }
        }
    }

    @Test("a device whose list differs from the service's fetches the list again")
    func digests() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk"), .add("bread", 2)], to: list, by: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let session = Session(account: anna.account, device: speaker.device)
            #expect(try await speaker.get("list").text.contains("milk"))
            // An entry disappears, which no program causes. Lists were compared when the device was created, and are
            // compared again after an hour.
            _ = try await service.pool.withConnection { connection in
                try await connection.execute("DELETE FROM hosted_entry WHERE sequence = 1")
                try await connection.execute("UPDATE hosted_device SET pace = NULL")
            }
            #expect(try await !speaker.get("list").text.contains("milk"))
            let report = await service.service.hosted.drive(session, .manual, waitLimit: .seconds(60))
            #expect(report?.differing == 1 && report?.failure == nil)
            #expect(try await speaker.get("list").text.contains("milk"))
            let again = await service.service.hosted.drive(session, .manual, waitLimit: .seconds(60))
            #expect(again?.differing == 0, "once was enough")
        }
    }

    @Test(
        "bad input is a problem that says what is wrong",
        arguments: [
            ("add", "{}"), ("add", #"{"text":"  "}"#), ("add", #"{"text":"x","item":"y"}"#), ("add", "nonsense"),
            ("add", #"{"text":"a\u0000b"}"#), ("off", "{}"), ("off", #"{"text":"x","fields":{"note":"y"}}"#),
            ("edit", #"{"text":"x"}"#), ("edit", #"{"text":"x","fields":{"text":""}}"#),
            ("edit", #"{"text":"x","fields":{"note":3}}"#), ("acknowledge", "{}"), ("acknowledge", #"{"entries":[1]}"#),
        ])
    func badInput(call: String, body: String) async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let speaker = try await service.hosted(of: anna, list: try await service.list(of: anna))
            let answer = try await speaker.post(call, body)
            #expect(try answer.outcome == "400 invalidArguments", "\(answer.text)")
            #expect(try await speaker.get("queue").text.contains(#""waiting":0"#))
        }
    }

    @Test("a change that is too large is refused with the limits; an account's hosted devices are limited")
    func limits() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let speaker = try await service.hosted(of: anna, list: try await service.list(of: anna))
            let long = String(repeating: "x", count: 5000)
            let answer = try await speaker.post("add", #"{"text":"\#(long)"}"#)
            #expect(try answer.outcome == "413 limitExceeded")
            #expect(try answer.problem.limits != nil)
            for _ in 0..<19 { _ = try await service.hosted(of: anna) }
            let more = try await service.call("POST", Path.hosted, token: anna.token, json: #"{"name":"x"}"#)
            #expect(try more.outcome == "413 quotaExceeded")
        }
    }
}

/// A hosted device and its token.
struct Hosted: Sendable {
    let service: TestService
    let device: DeviceID
    let token: String

    func call(_ method: String, _ name: String, _ json: String? = nil, headers: [String: String] = [:])
        async throws -> Answer
    {
        try await service.call(
            method, "\(Path.hosted)/\(device)/\(name)", token: token, body: json.map { Array($0.utf8) },
            headers: headers)
    }

    func post(_ name: String, _ json: String, headers: [String: String] = [:]) async throws -> Answer {
        try await call("POST", name, json, headers: headers)
    }

    func get(_ name: String) async throws -> Answer { try await call("GET", name) }
}

extension TestService {
    func hosted(of owner: Person, list: ListID? = nil) async throws -> Hosted {
        let list = list.map { #","list":"\#($0)""# } ?? ""
        let answer = try await call("POST", Path.hosted, token: owner.token, json: #"{"name":"Speaker"\#(list)}"#)
        try #require(answer.status == 201, "\(answer.text)")
        let made: HostedDeviceResponse = try answer.decode()
        return Hosted(service: self, device: made.id, token: try #require(made.token))
    }
}

extension Answer {
    private var object: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:] }
    }

    /// A member, or a member's member, of the document.
    func field(_ name: String, _ inner: String? = nil) throws -> String {
        let value = try object[name]
        return (inner.map { (value as? [String: Any])?[$0] } ?? value) as? String ?? "none"
    }

    /// The number of elements of an array of the document.
    func count(_ name: String) throws -> Int { (try object[name] as? [Any])?.count ?? 0 }
}
