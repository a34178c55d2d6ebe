import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Frozen formats", .timeLimit(.minutes(20)))
struct FrozenFormatTests {
    @Test("a frozen message is read, and written again byte for byte", arguments: FrozenDocument.all)
    func rewriting(document: FrozenDocument) throws {
        let bytes = try document.bytes
        let rewritten = try document.rewrite(bytes)
        #expect(String(decoding: rewritten, as: UTF8.self) == String(decoding: bytes, as: UTF8.self))
    }

    @Test("every frozen file is tested")
    func everyFile() throws {
        // Only the service writes the folded list and the export. They have their own tests.
        #expect(try FrozenDocument.namesOnDisk == Set(FrozenDocument.all.map(\.name) + ["state", "export"]))
    }

    @Test("every operation is frozen", arguments: Operation.allCases)
    func everyOperation(operation: Operation) throws {
        #expect(try FrozenDocument.namesOnDisk.contains("entry-\(operation.rawValue)"))
    }

    @Test("the folded list is written as it is frozen")
    func state() throws {
        func item(_ text: String) throws -> ItemID { try #require(ItemID(text)) }
        let state = ListState(
            name: "Weekly shop",
            items: [
                Item(
                    id: try item("0199b2c4-5d60-7000-8000-0000000000a1"),
                    fields: ["text": "milk", "quantity": "2 l"]),
                Item(id: try item("0199b2c4-5d60-7000-8000-0000000000a2"), markedOff: true, fields: [:]),
            ])
        let response = StateResponse(
            id: try #require(ListID("0199b2c4-0000-7000-8000-000000000151")), state: state,
            sequence: SequenceNumber(rawValue: 7), digest: "00112233445566778899aabbccddeeff")
        let frozen = FrozenDocument.byHand("state") { $0 }
        #expect(try response.json == frozen.bytes)
    }

    @Test("a share and an Activity in words of a later version are read as far as they are known")
    func laterVersion() throws {
        let share = #"{"participants":[{"role":"guest","permission":"most","status":"asleep","since":1}]}"#
        let read = try JSONReader.read(Array(share.utf8)) { reader throws(WireError) in
            try ShareState(from: &reader)
        }
        #expect(
            read.participants == [
                Participant(account: nil, role: .participant, permission: .readOnly, status: .left)
            ])
        let page = """
            {"activity":[{"sequence":2,"at":"2026-03-01T10:30:00.000Z","type":"participant","kind":"evaporated",
            "participant":{"role":"owner"}},{"sequence":1,"at":"2026-03-01T10:30:00.000Z","type":"participant",
            "kind":"joined","participant":{"role":"participant"}}],"next":"AQID"}
            """
        #expect(try ActivityPage(json: Array(page.utf8)).activity.map(\.sequence.rawValue) == [1])
    }

    @Test("the codes and their statuses are the documented ones")
    func codes() {
        let documented: [String: Int] = [
            "notAuthenticated": 401, "permissionFailure": 403, "listNotFound": 404, "unknownItem": 404,
            "invalidArguments": 400, "serverRecordChanged": 409, "limitExceeded": 413, "requestRateLimited": 429,
            "zoneBusy": 503, "serviceUnavailable": 503, "partialFailure": 200, "batchRequestFailed": 409,
            "changeTokenExpired": 410, "listDeleted": 410, "quotaExceeded": 413, "tooManyParticipants": 409,
            "alreadyShared": 409, "incompatibleVersion": 426, "internalError": 500, "crossOriginRequest": 403,
            "unknownRoute": 404, "methodNotAllowed": 405,
        ]
        #expect(Dictionary(uniqueKeysWithValues: ProblemCode.allCases.map { ($0.rawValue, $0.status) }) == documented)
    }
}
