import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Exports", .timeLimit(.minutes(20)))
struct ExportTests {
    private static let account = AccountResponse(
        id: AccountID(UUIDBits(high: 1, low: 1)), email: "anna@example.com", name: "Anna",
        createdAt: Timestamp(milliseconds: 0))

    /// The lists that the frozen file has.
    private static var list: ExportedList {
        let bits = UUIDBits(high: 0x0199_b2c4_0000_7000, low: 0x8000_0000_0000_0151)
        let entry = ConfirmedEntry(
            entry: JournalEntry(
                id: EntryID(bits), operation: .add, item: ItemID(bits), fields: ["text": "milk"], deviceSequence: 1),
            sequence: SequenceNumber(rawValue: 1), author: account.id, device: DeviceID(bits),
            madeAt: Timestamp(milliseconds: 1000), receivedAt: Timestamp(milliseconds: 1001))
        let state = ListState(name: nil, colour: nil, items: [Item(id: ItemID(bits), fields: ["text": "milk"])])
        return ExportedList(
            list: ListResponse(
                id: ListID(bits), role: .owner, permission: .readWrite, head: SequenceNumber(rawValue: 1),
                createdAt: Timestamp(milliseconds: 500)),
            state: StateResponse(
                id: ListID(bits), state: state, sequence: SequenceNumber(rawValue: 1),
                digest: state.digest.description),
            share: ShareState(participants: [
                Participant(
                    account: account.id, email: account.email, name: account.name, role: .owner,
                    permission: .readWrite, status: .accepted)
            ]), journal: [entry])
    }

    @Test("the file is as it is written down, and can be read back")
    func frozen() throws {
        let json =
            Export.opening(account: Self.account, at: Timestamp(milliseconds: 2000)) + Self.list.json + Export.closing
        let file = FrozenDocument.byHand("export") { $0 }
        #expect(try String(decoding: json, as: UTF8.self) == String(decoding: file.bytes, as: UTF8.self))
        let document = try ImportDocument(json: json)
        #expect(document.lists.map(\.id) == [Self.list.state.id] && document.lists[0].state == Self.list.state.state)
        let empty = Export.opening(account: Self.account, at: Timestamp(milliseconds: 0)) + Export.closing
        #expect(try ImportDocument(json: empty).lists.isEmpty)
    }

    @Test("a file with any error is refused as a whole, with the error")
    func bad() throws {
        let head = #"{"format":"trolley-export","version":1,"#
        let list = #"{"id":"0199b2c4-0000-7000-8000-000000000151","name":"x","items":[]}"#
        for (json, complaint) in [
            ("", "ends too early"), ("{}", "no export"), (#"{"lists":[]}"#, "no export"),
            (#"{"format":"other","version":1,"lists":[],"complete":true}"#, "no export"),
            (#"{"format":"trolley-export","version":2,"lists":[],"complete":true}"#, "update"),
            (head + #""lists":[\#(list)]}"#, "cut off"), (head + #""lists":[\#(list)"#, "ends too early"),
            (head + #""lists":[{"name":"x"}],"complete":true}"#, "without id"),
            (head + #""lists":[{"id":"7"}],"complete":true}"#, "UUID"),
            (
                head + #""lists":[{"id":"0199b2c4-0000-7000-8000-000000000151","items":[{}]}],"complete":true}"#,
                "item without id"
            ),
            (
                head + #""lists":[{"id":"0199b2c4-0000-7000-8000-000000000151","digest":"00"}],"complete":true}"#,
                "digest"
            ),
        ] {
            let error = #expect(throws: WireError.self) { try ImportDocument(json: json.utf8) }
            #expect(error?.description.contains(complaint) == true, "\(json): \(error?.description ?? "")")
        }
    }
}
