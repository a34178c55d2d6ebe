import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Dumps", .timeLimit(.minutes(20)))
struct DumpTests {
    private func entry(_ number: Int64, _ text: String) -> ConfirmedEntry {
        let bits = UUIDBits(high: 7, low: UInt64(number))
        return ConfirmedEntry(
            entry: JournalEntry(
                id: EntryID(bits), operation: .add, item: ItemID(bits), fields: ["text": .string(text)],
                deviceSequence: number), sequence: SequenceNumber(rawValue: number), author: AccountID(bits),
            device: DeviceID(bits), madeAt: Timestamp(milliseconds: number), receivedAt: Timestamp(milliseconds: number)
        )
    }

    private func dump(
        _ entries: [ConfirmedEntry], withContent: Bool, omitting omitted: Int = 0, through: Int64? = nil
    ) throws -> Dump {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("kind")
            writer.string("service")
            writer.key("lists")
            writer.array { writer in
                writer.object { writer in
                    writer.key("id")
                    writer.string("0199b2c4-0000-7000-8000-000000000151")
                    writer.key("head")
                    writer.integer(through ?? entries.last?.sequence.rawValue ?? 0)
                    writer.key("digest")
                    writer.string(ListState(folding: entries).digest.description)
                    writer.key("entriesOmitted")
                    writer.integer(Int64(omitted))
                    writer.key("entries")
                    writer.array { writer in
                        for entry in entries.dropFirst(omitted) {
                            DumpedEntry(entry, withContent: withContent).write(to: &writer)
                        }
                    }
                }
            }
        }
        return try Dump(json: writer.bytes)
    }

    private func compare(_ left: Dump, _ right: Dump) throws -> ListComparison {
        try #require(ListComparison.of(left, right).both.first)
    }

    @Test("without content, differences are found by hashes, and different states by digests")
    func hashes() throws {
        let left = [entry(1, "a"), entry(2, "b"), entry(3, "c")]
        let right = [entry(1, "a"), entry(2, "x"), entry(3, "c")]
        let comparison = try compare(dump(left, withContent: false), dump(right, withContent: false))
        #expect(comparison.hasSameState == false && comparison.firstShown == nil)
        #expect(comparison.divergences.map(\.sequence.rawValue) == [2] && comparison.divergences[0].kind == .differs)
        let same = try compare(dump(left, withContent: false), dump(left, withContent: false))
        #expect(same.hasSameState == true && same.divergences.isEmpty)
        // One side has more entries and lacks one. Digests of two moments can't be compared.
        let further = try dump(Array(right.dropFirst()) + [entry(4, "d")], withContent: false)
        #expect(try compare(dump(left, withContent: false), further).hasSameState == nil)
    }

    @Test("with content, the first change after which the lists differ is found")
    func content() throws {
        let left = [entry(1, "a"), entry(2, "b"), entry(3, "c")]
        let right = [entry(1, "a"), entry(3, "c"), entry(4, "d")]
        let comparison = try compare(dump(left, withContent: true), dump(right, withContent: true))
        #expect(comparison.through.rawValue == 3 && comparison.firstShown?.rawValue == 2)
        #expect(comparison.divergences.map(\.kind) == [.missingRight])
    }

    @Test("entries that a file leaves out for its size are not missing")
    func omitted() throws {
        let entries = (1...5).map { entry($0, "\($0)") }
        let comparison = try compare(
            dump(entries, withContent: false), dump(entries, withContent: false, omitting: 2))
        #expect(comparison.divergences.isEmpty && comparison.hasSameState == true)
    }

    @Test(
        "a file that is no dump is refused, with what is wrong about it",
        arguments: [
            ("", "it ends too early"), ("[]", "an object"), ("{}", "no dump"), (#"{"lists":7}"#, "an array"),
            (#"{"lists":[{}]}"#, "no id"), (#"{"entries":[{}]}"#, "sequence is missing"),
            (#"{"lists":[]} x"#, "follows"),
            (#"{"lists":[{"id":"0199b2c4-0000-7000-8000-000000000151","entries":[{"id":"x"}]}]}"#, "UUID"),
        ])
    func bad(json: String, complaint: String) {
        let error = #expect(throws: WireError.self) { try Dump(json: json.utf8) }
        #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
    }

    @Test("JSON is readable as text")
    func outline() throws {
        let json = #"{"a":{"b":1,"none":{}},"c":[{"d":"x","e":[1,2]},{"d":true}],"f":[],"g":null,"h":[{},{}]}"#
        let text = try Outline.text(of: json.utf8, counting: ["h"])
        #expect(
            text == """
                a:
                  b: 1
                  none: none
                c:
                  - d: x
                    e: 1, 2
                  - d: true
                f: none
                h: 2
                """)
    }
}
