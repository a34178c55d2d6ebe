import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@Suite("Bad input", .timeLimit(.minutes(20)))
struct BadInputTests {
    static let good = JournalEntry.add("milk").uploadJSON

    @Test(
        "an upload that can't be read is refused whole, nothing is stored, and the service goes on",
        arguments: [
            ("nothing", "", "400 invalidArguments"),
            ("not JSON", "milk", "400 invalidArguments"),
            ("an array", "[]", "400 invalidArguments"),
            ("cut off", #"{"entries":[\#(good),{"id""#, "400 invalidArguments"),
            ("something after it", #"{"entries":[\#(good)]} {}"#, "400 invalidArguments"),
            ("no entries", "{}", "400 invalidArguments"),
            ("entries of another type", #"{"entries":"all"}"#, "400 invalidArguments"),
            ("atomic of another type", #"{"entries":[\#(good)],"atomic":1}"#, "400 invalidArguments"),
            (
                "401 entries", #"{"entries":[\#(Array(repeating: good, count: 401).joined(separator: ","))]}"#,
                "413 limitExceeded"
            ),
            ("NUL in a string", #"{"entries":[\#(good)],"x":"\u0000"}"#, "400 invalidArguments"),
            ("an entry without its end", #"{"entries":[\#(good),{"id":"x]}"#, "400 invalidArguments"),
            ("an entry with a quote too many", #"{"entries":[{"a":"x""},\#(good)]}"#, "400 invalidArguments"),
            ("an entry with the wrong bracket", #"{"entries":[{"a":[1}],\#(good)]}"#, "400 invalidArguments"),
            ("a NUL byte", "{\"entries\":[\(good)],\"x\":\"\u{0}\"}", "400 invalidArguments"),
            ("half a surrogate", #"{"entries":[\#(good)],"x":"\ud800"}"#, "400 invalidArguments"),
            ("33 levels", #"{"entries":[\#(good)],"x":\#(nested(32))}"#, "400 invalidArguments"),
            ("100,000 levels", #"{"entries":[\#(good)],"x":\#(nested(100_000))}"#, "400 invalidArguments"),
        ] as [(String, String, String)])
    func unreadable(name: String, json: String, expected: String) async throws {
        try await expect(expected, body: Array(json.utf8))
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3]] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) async throws {
        let (head, tail) = (Array(#"{"entries":[\#(Self.good)],"x":""#.utf8), Array(#""}"#.utf8))
        try await expect("400 invalidArguments", body: head + bytes + tail)
    }

    @Test("a request with too many entries says the limits")
    func limits() async throws {
        try await TestService.with(limits: Limits(entriesPerRequest: 2)) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let answer = try await service.call(
                "POST", Path.entries(list), token: anna.token,
                json: #"{"entries":[\#(Array(repeating: Self.good, count: 3).joined(separator: ","))]}"#)
            let problem = try answer.problem
            #expect(problem.code == .limitExceeded && problem.limits == Limits(entriesPerRequest: 2))
        }
    }

    @Test(
        "a broken entry gets its code, and the good ones around it are stored",
        arguments: [
            (good.replacing(#""add""#, with: #""explode""#), ProblemCode.invalidArguments),
            (good.replacing(#""add""#, with: "7"), .invalidArguments),
            (good.replacing(#""milk""#, with: "7"), .invalidArguments),
            (good.replacing(#""deviceSequence":1"#, with: #""deviceSequence":0"#), .invalidArguments),
            (good.replacing(#""age":0"#, with: #""age":-1"#), .invalidArguments),
            ("17", .invalidArguments),
            ("null", .invalidArguments),
            (good.replacing("milk", with: String(repeating: "x", count: 4200)), .limitExceeded),
            (
                good.replacing(#""age":0"#, with: #""age":0,"x":"\#(String(repeating: "x", count: 8192))""#),
                .limitExceeded
            ),
        ])
    func brokenEntry(entry: String, code: ProblemCode) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let (milk, bread) = (JournalEntry.add("milk"), JournalEntry.add("bread", 2))
            let answer = try await service.call(
                "POST", Path.entries(list), token: anna.token,
                json: #"{"entries":[\#(milk.uploadJSON),\#(entry),\#(bread.uploadJSON)]}"#)
            #expect(answer.status == 200)
            let response: UploadResponse = try answer.decode()
            #expect(response.code == .partialFailure)
            #expect(response.results.map(\.status) == [.applied, .rejected, .applied])
            #expect(response.results[1].code == code)
            #expect(try await service.changes(list, for: anna).entries.map(\.entry) == [milk, bread])
        }
    }

    @Test(
        "an entry with what no text may hold, or nested too deep, gets its own verdict, and those around it are stored",
        arguments: [
            ("U+0000", [UInt8](#"a\u0000b"#.utf8)), ("half a surrogate", Array(#"\ud800"#.utf8)),
            ("the other half", Array(#"\udc00 x"#.utf8)),
            ("half, and an escaped quote", Array(#"\ud83d\"]},{\\"#.utf8)),
            ("a NUL byte", [0]), ("a line feed", [0x0A]), ("no UTF-8", [0xFF]),
            ("an unknown escape", Array(#"\q"#.utf8)),
        ] as [(String, [UInt8])])
    func badText(name: String, text: [UInt8]) async throws {
        let parts = Self.good.split(separator: "milk")
        let entry = Array(parts[0].utf8) + text + Array(parts[1].utf8)
        try await expectOwnVerdict(of: entry, EntryID(scanning: Self.good))
    }

    @Test("an entry nested too deep gets its own verdict", arguments: [30, 31, 500, 3_000])
    func deepEntry(depth: Int) async throws {
        let id = EntryID.random()
        let entry =
            #"{"id":"\#(id)","operation":"add","item":"\#(ItemID.random())","fields":{"text":"milk"},"x":"#
            + Self.nested(depth) + #","deviceSequence":2}"#
        try await expectOwnVerdict(of: Array(entry.utf8), id)
    }

    @Test("an entry nested too deep and too large is too large; a million levels harm nothing")
    func deepestEntry() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            let json = #"{"entries":[{"x":\#(Self.nested(1_000_000))},\#(milk.uploadJSON)]}"#
            let answer = try await service.call("POST", Path.entries(list), token: anna.token, json: json)
            let response: UploadResponse = try answer.decode()
            #expect(response.results.map(\.code) == [.limitExceeded, nil])
            try await service.expectStored([milk], in: list, of: anna)
        }
    }

    @Test("in an atomic upload such an entry takes the others back, and validateOnly stores nothing")
    func badTextAtomic() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let bad = JournalEntry.add(#"a\u0000b"#, 2).uploadJSON.replacing(#"\\u"#, with: #"\u"#)
            for member in ["atomic", "validateOnly"] {
                let answer = try await service.call(
                    "POST", Path.entries(list), token: anna.token,
                    json: #"{"entries":[\#(Self.good),\#(bad)],"\#(member)":true}"#)
                let response: UploadResponse = try answer.decode()
                #expect(response.results[1].code == .invalidArguments && response.code == .partialFailure)
                #expect(response.results[0].code == (member == "atomic" ? .batchRequestFailed : nil))
                try await service.expectStored([], in: list, of: anna)
            }
        }
    }

    @Test(
        "a hosted device's change with such a text is refused, and the next one is made",
        arguments: [
            #""text":"a\u0000b""#, #""text":"\ud800""#, "\"text\":\"a\u{0}b\"",
            #""text":"x","fields":{"note":"\u0000"}"#,
            #""text":"x","fields":{"no\u0000te":"y"}"#, #""text":"x","fields":{"note":"\udfff"}"#,
            #""text":"x","fields":\#(nested(100_000))"#,
        ] as [String])
    func hostedText(members: String) async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let made = try await service.call(
                "POST", Path.hosted, token: anna.token, json: #"{"name":"speaker","list":"\#(list)"}"#)
            let device: HostedDeviceResponse = try made.decode()
            let path = "\(Path.hosted)/\(device.id)/add"
            let bad = try await service.call("POST", path, token: anna.token, json: "{\(members)}")
            #expect(try ["400 invalidArguments", "413 limitExceeded"].contains(bad.outcome), "\(bad.text)")
            let good = try await service.call("POST", path, token: anna.token, json: #"{"text":"milk"}"#)
            #expect(good.status == 200)
            #expect(try await service.changes(list, for: anna).entries.count == 1)
        }
    }

    @Test("a body that says it is over 2 MiB is refused before it is sent")
    func announcedTooLarge() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let answer = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "POST \(Path.entries(list)) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                        + "content-length: \((2 << 20) + 1)\r\n\r\n")
                return try await reader.read(until: "}")
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains(#""code":"limitExceeded""#))
        }
    }

    @Test("a body over 2 MiB is refused while it arrives")
    func tooLargeInChunks() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let answer = try await RawConnection.with(port: service.port) { reader, writer in
                try await writer.write(
                    "POST \(Path.entries(list)) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(anna.token)\r\n"
                        + "transfer-encoding: chunked\r\n\r\n")
                let chunk = String(repeating: " ", count: 64 << 10)
                // 2 MiB and one chunk more; the body never ends.
                for _ in 0...32 { try await writer.write("10000\r\n\(chunk)\r\n") }
                return try await reader.read(until: "}")
            }
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains(#""code":"limitExceeded""#))
            try await service.expectStored([], in: list, of: anna)
        }
    }

    @Test("a body of exactly 2 MiB is read")
    func largest() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let body = Array(#"{"entries":[\#(Self.good)]}"#.utf8)
            let padded = body + Array(repeating: UInt8(ascii: " "), count: (2 << 20) - body.count)
            #expect(try await service.call("POST", Path.entries(list), token: anna.token, body: padded).status == 200)
            let tooLong = padded + [UInt8(ascii: " ")]
            let answer = try await service.call("POST", Path.entries(list), token: anna.token, body: tooLong)
            #expect(try answer.outcome == "413 limitExceeded")
            #expect(try answer.problem.limits == Limits())
        }
    }

    @Test("a text that was never a change token is invalid; for all lists at once, only its own list is fetched afresh")
    func malformedTokens() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let (list, other) = (try await service.list(of: anna), try await service.list(of: anna))
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let token = try await service.changes(list, for: anna).token
            for wrong in [
                "", "x", "%00", "nonsense", "a+b", "AQ", "\(token)A", "\(token)==", String(token.dropLast(4)),
            ] {
                for path in ["\(Path.changes(list))?since=\(wrong)", "\(Path.activity(list))?before=\(wrong)"] {
                    let answer = try await service.call("GET", path, token: anna.token)
                    #expect(try answer.outcome == "400 invalidArguments", "\(path)")
                }
            }
            let answer = try await service.allChanges([list: "x", other: "", .random(): "x"], for: anna)
            #expect(Set(answer.expired).isSuperset(of: [list, other]))
        }
    }

    @Test("a malformed token reveals nothing about a list that isn't the account's")
    func malformedTokenOfStranger() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            for path in ["\(Path.changes(list))?since=x", "\(Path.activity(list))?before=x"] {
                #expect(try await service.call("GET", path, token: ben.token).outcome == "404 listNotFound")
            }
        }
    }

    @Test("a change token that isn't this list's is expired, never a gap")
    func wrongTokens() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let (list, other) = (try await service.list(of: anna), try await service.list(of: anna))
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            _ = try await service.upload([.add("bread")], to: other, by: anna)
            let token = try await service.changes(list, for: anna).token
            let foreign = try await service.changes(other, for: anna).token
            let first = token.prefix(1) == "A" ? "B" : "A"
            // Without spare bits, so that the text keeps the form of a token.
            let last = token.suffix(1) == "A" ? "Q" : "A"
            for wrong in [first + token.dropFirst(), token.dropLast() + last, foreign] {
                let path = "\(Path.changes(list))?since=\(wrong)"
                #expect(try await service.call("GET", path, token: anna.token).outcome == "410 changeTokenExpired")
            }
            let answer = try await service.allChanges([list: foreign, other: "x"], for: anna)
            #expect(Set(answer.expired) == [list, other] && answer.lists.isEmpty && !answer.moreComing)
        }
    }

    @Test("a token of before a backup was restored is expired")
    func otherEpoch() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let token = try await service.changes(list, for: anna).token
            // Of constants: Citus refuses a volatile function in an update of a reference table.
            let epoch = UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
            try await service.pool.withConnection {
                _ = try await $0.execute(Query(unescaped: "UPDATE service SET epoch = '\(epoch)'"))
            }
            let path = "\(Path.changes(list))?since=\(token)"
            #expect(try await service.call("GET", path, token: anna.token).outcome == "410 changeTokenExpired")
            #expect(try await service.allChanges([list: token], for: anna).expired == [list])
        }
    }

    @Test(
        "a page's limit is a whole number from 1",
        arguments: ["0", "-1", "x", "1.5", "", "9999999999999999999999"])
    func pageLimit(limit: String) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let path = "\(Path.changes(try await service.list(of: anna)))?limit=\(limit)"
            #expect(try await service.call("GET", path, token: anna.token).outcome == "400 invalidArguments")
        }
    }

    @Test("a list's id that another list has is taken")
    func listIDTaken() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let json = #"{"id":"\#(list)"}"#
            #expect(
                try await service.call("POST", Path.lists, token: ben.token, json: json).outcome
                    == "409 serverRecordChanged")
            #expect(try await service.call("POST", Path.lists, token: anna.token, json: json).status == 200)
            for wrong in [#"{"id":"x"}"#, #"{"id":7}"#, "{}", "[]"] {
                #expect(
                    try await service.call("POST", Path.lists, token: ben.token, json: wrong).outcome
                        == "400 invalidArguments")
            }
        }
    }

    private func expectOwnVerdict(of entry: [UInt8], _ id: EntryID?) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let (milk, bread) = (JournalEntry.add("milk"), JournalEntry.add("bread", 3))
            let body =
                Array(#"{"entries":[\#(milk.uploadJSON),"#.utf8) + entry + Array(",\(bread.uploadJSON)]}".utf8)
            let answer = try await service.call("POST", Path.entries(list), token: anna.token, body: body)
            #expect(answer.status == 200, "\(answer.text)")
            let response: UploadResponse = try answer.decode()
            #expect(response.code == .partialFailure)
            #expect(response.results.map(\.status) == [.applied, .rejected, .applied])
            #expect(response.results[1].code == .invalidArguments && response.results[1].id == id)
            #expect(response.results[1].detail?.isEmpty == false)
            try await service.expectStored([milk, bread], in: list, of: anna)
        }
    }

    /// The upload gets this answer, nothing of it is stored, and the next upload is accepted.
    private func expect(_ outcome: String, body: [UInt8]) async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let answer = try await service.call("POST", Path.entries(list), token: anna.token, body: body)
            #expect(try answer.outcome == outcome)
            try await service.expectStored([], in: list, of: anna)
            let milk = JournalEntry.add("milk")
            _ = try await service.upload([milk], to: list, by: anna)
            try await service.expectStored([milk], in: list, of: anna)
        }
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}

extension TestService {
    fileprivate func expectStored(_ entries: [JournalEntry], in list: ListID, of person: Person) async throws {
        #expect(try await changes(list, for: person).entries.map(\.entry) == entries)
    }
}

extension JournalEntry {
    fileprivate var uploadJSON: String {
        var writer = JSONWriter()
        UploadEntry(entry: self, age: 0).write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension EntryID {
    /// The id in an entry's JSON.
    fileprivate init?(scanning json: String) {
        guard let match = json.firstMatch(of: /"id":"([^"]*)"/) else { return nil }
        self.init(String(match.output.1))
    }
}
