import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Upload body", .timeLimit(.minutes(20)))
struct UploadBodyTests {
    static let id = "0199b2c4-5d60-7000-8000-000000000001"
    static let item = "0199b2c4-5d60-7000-8000-0000000000a1"
    static let good = #"{"id":"\#(id)","operation":"markOff","item":"\#(item)","deviceSequence":1}"#

    @Test("without JSON in between it is what is read of the JSON, whatever the limits")
    func withoutJSON() throws {
        let texts = ["milk", String(repeating: "\u{1}", count: 700), String(repeating: "x", count: 5000)]
        let entries = texts.enumerated().map { index, text in
            UploadEntry(
                entry: JournalEntry(
                    id: EntryID(UUIDBits(high: 7, low: UInt64(index))), operation: .add,
                    item: ItemID(UUIDBits(high: 8, low: UInt64(index))), after: nil, fields: ["text": .string(text)],
                    deviceSequence: index == 0 ? 1 : JournalEntry.maxDeviceSequence + Int64(index) - 1), age: 5)
        }
        for bytes in [200, 300, 1000, 4000, 5400, 8192] {
            var limits = Limits()
            limits.bytesPerEntry = bytes
            limits.entriesPerRequest = 3
            for atomic in [true, false] {
                let request = UploadRequest(entries: entries, atomic: atomic, validateOnly: !atomic)
                #expect(try UploadBody(request, limits: limits) == UploadBody(json: request.json, limits: limits))
            }
        }
        var limits = Limits()
        limits.entriesPerRequest = 2
        #expect(throws: WireError.self) { try UploadBody(UploadRequest(entries: entries), limits: limits) }
    }

    @Test("members that an entry leaves out have defaults")
    func defaults() throws {
        let upload = try #require(try valid(Self.good))
        #expect(upload.age == 0)
        #expect(upload.entry.cause == .edit)
        #expect(upload.entry.fields.isEmpty)
        #expect(upload.entry.batch == nil && upload.entry.reverts == nil && upload.entry.after == nil)
    }

    @Test("members that an entry doesn't have are passed over, whatever they hold")
    func unknownMembers() throws {
        let entry = try valid(#"{"colour":{"deep":[1,{"a":null}]},"sequence":9,\#(Self.good.dropFirst())"#)
        #expect(try entry == valid(Self.good))
    }

    @Test("a null member is an absent one")
    func nulls() throws {
        let entry = try valid(
            #"{"after":null,"fields":null,"batch":null,"cause":null,"age":null,\#(Self.good.dropFirst())"#)
        #expect(try entry == valid(Self.good))
    }

    @Test("an item or anchor that an operation doesn't have is dropped")
    func foreignMembers() throws {
        let rename = try #require(
            try valid(
                #"{"id":"\#(Self.id)","operation":"renameList","item":"\#(Self.item)","after":"\#(Self.item)","fields":{"text":"x"},"deviceSequence":1}"#
            ))
        #expect(rename.entry.item == nil && rename.entry.after == nil)
    }

    @Test(
        "a broken entry is rejected with its id, and the good ones around it stay",
        arguments: [
            (#""operation":"explode","item":"ITEM","deviceSequence":1"#, "no such operation"),
            (#""operation":1,"item":"ITEM","deviceSequence":1"#, "operation"),
            (#""item":"ITEM","deviceSequence":1"#, "operation is missing"),
            (#""operation":"markOff","deviceSequence":1"#, "item is missing"),
            (#""operation":"markOff","item":"milk","deviceSequence":1"#, "item"),
            (#""operation":"markOff","item":17,"deviceSequence":1"#, "item"),
            (#""operation":"markOff","item":"ITEM""#, "deviceSequence is missing"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":0"#, "counts from 1"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":"1""#, "deviceSequence"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":1.5"#, "deviceSequence"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":99999999999999999999"#, "deviceSequence"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":9223372036854775807"#, "deviceSequence"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":1000000001"#, "deviceSequence"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":1,"age":-1"#, "age"),
            (#""operation":"markOff","item":"ITEM","deviceSequence":1,"cause":"boredom""#, "no such cause"),
            (#""operation":"add","item":"ITEM","deviceSequence":1,"fields":[]"#, "fields"),
            (#""operation":"add","item":"ITEM","deviceSequence":1,"fields":"milk""#, "fields"),
            (#""operation":"add","item":"ITEM","deviceSequence":1,"fields":{"text":5}"#, "fields.text"),
            (#""operation":"add","item":"ITEM","deviceSequence":1,"fields":{"aisle":{}}"#, "fields.aisle"),
            (#""operation":"add","item":"ITEM","deviceSequence":1,"after":"top""#, "after"),
        ])
    func rejected(members: String, word: String) throws {
        let members = members.replacing("ITEM", with: Self.item)
        let body = try body(of: [Self.good, #"{"id":"\#(Self.id)",\#(members)}"#, Self.good])
        #expect(body.items.map(\.isValid) == [true, false, true])
        guard case .rejected(let result) = body.items[1] else { return }
        #expect(result.code == .invalidArguments)
        #expect(result.id == EntryID(Self.id))
        #expect(result.detail?.contains(word) == true, "\(result.detail ?? "")")
    }

    @Test(
        "an entry that is no object, or has no id, is rejected without one",
        arguments: ["1", "null", "[]", "\"a\"", "{}"])
    func withoutID(entry: String) throws {
        guard case .rejected(let result) = try body(of: [entry]).items[0] else {
            Issue.record("accepted")
            return
        }
        #expect(result.id == nil && result.code == .invalidArguments)
    }

    @Test(
        "an entry with what no text may hold, or nested too deep, is rejected with its id, wherever the id stands",
        arguments: [
            #""\u0000""#, #""\udc00""#, "\"\u{0}\u{7}\"", #""\x""#, #"{"\u0000":{"a":[[],{},[{}]]}}"#,
            String(repeating: "[", count: 31) + String(repeating: "]", count: 31),
            String(repeating: #"{"a":"#, count: 99) + "0" + String(repeating: "}", count: 99),
        ] as [String])
    func unacceptable(value: String) throws {
        let members = #""id":"\#(Self.id)""#
        for entry in [#"{\#(members),"x":\#(value)}"#, #"{"x":\#(value),\#(members)}"#] {
            let body = try body(of: [Self.good, entry, Self.good])
            #expect(body.items.map(\.isValid) == [true, false, true])
            guard case .rejected(let result) = body.items[1] else { return }
            #expect(result.code == .invalidArguments && result.id == EntryID(Self.id), "\(entry)")
        }
    }

    @Test("16 fields are accepted, the 17th is too many", arguments: [(16, nil), (17, ProblemCode.limitExceeded)])
    func fieldCount(count: Int, code: ProblemCode?) throws {
        let fields = (1...count).map { #""f\#($0)":\#($0)"# }.joined(separator: ",")
        #expect(try self.code(ofAddWith: "{\(fields)}") == code)
    }

    @Test(
        "4,096 bytes of fields are accepted, one more is too many",
        arguments: [(4096, nil), (4097, ProblemCode.limitExceeded)])
    func fieldBytes(bytes: Int, code: ProblemCode?) throws {
        let fields = #"{"text":"\#(String(repeating: "x", count: bytes - 11))"}"#
        #expect(fields.utf8.count == bytes)
        #expect(try self.code(ofAddWith: fields) == code)
    }

    @Test("the size of fields includes escapes")
    func escapes() throws {
        // Each is one byte, and six bytes when it is written: 4,211 in all.
        let fields = #"{"text":"\#(String(repeating: #"\u0001"#, count: 700))"}"#
        #expect(try self.code(ofAddWith: fields) == .limitExceeded)
    }

    @Test(
        "an entry of 8,192 bytes is accepted, one more is too many",
        arguments: [(8192, nil), (8193, ProblemCode.limitExceeded)])
    func entryBytes(bytes: Int, code: ProblemCode?) throws {
        let entry =
            #"{"padding":"\#(String(repeating: "x", count: bytes - Self.good.utf8.count - 13))",\#(Self.good.dropFirst())"#
        #expect(entry.utf8.count == bytes)
        #expect(try self.code(of: entry) == code)
    }

    @Test("400 entries are accepted, 401 fail the request")
    func entryCount() throws {
        #expect(try body(of: Array(repeating: Self.good, count: 400)).items.count == 400)
        #expect { try body(of: Array(repeating: Self.good, count: 401)) } throws: { error in
            if case WireError.tooLarge(let what) = error { what.contains("400") } else { false }
        }
    }

    @Test(
        "a request that can't be read as a whole fails whole",
        arguments: [
            "", "[]", "{}", "null", #"{"entries":{}}"#, #"{"entries":1}"#, #"{"entries":[],"atomic":"yes"}"#,
            #"{"entries":[],"validateOnly":1}"#, #"{"entries":[{]}"#, #"{"entries":[{"a":1,}]}"#,
            #"{"entries":[{"a" 1}]}"#, #"{"entries":[[1,]]}"#, #"{"entries":[{"a":"x""}]}"#, #"{"entries":["\"]}"#,
            #"{"entries":[{"a":[}]]}"#, #"{"entries":[{"a":"\u0000"],"x":0}]}"#, #"{"entries":[nul]}"#,
            #"{"entries":[{"a":1}"#,
            #"{"entries":[]}x"#,
        ])
    func unreadable(json: String) {
        #expect(throws: WireError.self) { try UploadBody(json: Array(json.utf8), limits: Limits()) }
    }

    private func body(of entries: [String]) throws -> UploadBody {
        try UploadBody(json: Array(#"{"entries":[\#(entries.joined(separator: ","))]}"#.utf8), limits: Limits())
    }

    private func valid(_ entry: String) throws -> UploadEntry? {
        if case .valid(let upload) = try body(of: [entry]).items[0] { upload } else { nil }
    }

    /// nil: accepted.
    private func code(of entry: String) throws -> ProblemCode? {
        if case .rejected(let result) = try body(of: [entry]).items[0] { result.code } else { nil }
    }

    private func code(ofAddWith fields: String) throws -> ProblemCode? {
        try code(
            of: #"{"id":"\#(Self.id)","operation":"add","item":"\#(Self.item)","fields":\#(fields),"deviceSequence":1}"#
        )
    }
}

extension UploadBody.Item {
    fileprivate var isValid: Bool { if case .valid = self { true } else { false } }
}
