import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

/// A device's handling of codes of a newer service.
@Suite("Answers of a later version", .timeLimit(.minutes(20))) struct LaterVersionTests {
    private func decode<Value: Decodable>(_ json: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    @Test("a code that isn't known is a fault of the service's: to be tried again")
    func code() throws {
        let problem: Problem = try decode(
            #"{"code":"moonInTheWrongPhase","status":451,"title":"Wait.","retryAfter":7,"colour":"blue","reason":"eclipse"}"#
        )
        #expect(problem.code == .internalError && problem.status == 451 && problem.retryAfter == 7)
        #expect(problem.reason == nil && problem.description == "Wait.")
        let least: Problem = try decode(#"{"code":"zoneBusy"}"#)
        #expect(least.code == .zoneBusy && least.status == 503)
    }

    @Test("a status that isn't known leaves the entry where it is")
    func status() throws {
        let id = "0199b2c4-5d60-7000-8000-0000000000a1"
        let response: UploadResponse = try decode(
            #"{"results":[{"id":"\#(id)","status":"postponed","sequence":3},{"id":"\#(id)","status":"rejected","code":"new"}],"token":"t"}"#
        )
        #expect(response.results.map(\.status) == [.rejected, .rejected])
        #expect(response.results.map(\.code) == [.internalError, .internalError])
        #expect(response.results.map(\.sequence) == [nil, nil])
    }

    @Test("a digest of another kind says nothing")
    func digest() throws {
        let page = try ChangesPage(
            json: Array(#"{"changes":[],"token":"t","moreComing":false,"snapshot":false,"digest":"sha3:77"}"#.utf8))
        #expect(page.digest == nil)
        let digest = ListState(name: "Shop").digest
        let known = ChangesPage(changes: [], token: "t", moreComing: false, snapshot: false, digest: digest)
        #expect(try ChangesPage(json: known.json) == known)
    }
}
