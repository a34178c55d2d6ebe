import Testing
import TrolleyJournal
import TrolleySync

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct EventStreamParserTests {
    static let text = """
        :\n\nevent: changed\nid: a1\ndata: {"list":"00000000-0000-7000-8000-000000000001","sequence":3}\n\n\
        event: presence\r\ndata: {"list":"00000000-0000-7000-8000-000000000002"}\r\n\r\n: hello\n\n\
        event: summary\rid: a2\rdata:{}\r\rdata: one\ndata: two\n\nid: a3\nevent: nothing\n\n
        """

    @Test(arguments: [1, 2, 3, 7, 1000]) func `events come out the same however the bytes are cut`(_ size: Int) {
        var parser = EventStreamParser()
        let bytes = Array(Self.text.utf8)
        var events: [EventStreamParser.Event] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += parser.read(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(events.map(\.name) == ["changed", "presence", "summary", "message"])
        #expect(events.last?.data == "one\ntwo" && parser.lastEventID == "a3" && !parser.isBroken)
    }

    @Test func `heartbeats and other comments are no hints`() {
        var parser = EventStreamParser()
        #expect(parser.read(Array(":\n\n:\n\n: keep-alive\n\n".utf8)).isEmpty)
    }

    @Test func `an id counts once its event is complete, so a cut stream repeats it`() {
        var parser = EventStreamParser(lastEventID: "a0")
        _ = parser.read(Array("id: a1\ndata: x\n".utf8))
        #expect(parser.lastEventID == "a0")
        _ = parser.read(Array("\n".utf8))
        #expect(parser.lastEventID == "a1")
    }

    @Test func `a stream without an end of line takes no more memory than its limit`() {
        var parser = EventStreamParser()
        let chunk = Array(repeating: UInt8(ascii: "x"), count: 10_000)
        for _ in 0..<20 { #expect(parser.read(chunk).isEmpty) }
        #expect(parser.isBroken)
    }

    @Test func `hints are told apart`() throws {
        var parser = EventStreamParser()
        let hints = parser.read(Array(Self.text.utf8)).map { ServiceHint($0) }
        guard case .presence(let list) = hints[1] else {
            return #expect(Bool(false), "the second is a hint of presence")
        }
        #expect(list.description == "00000000-0000-7000-8000-000000000002")
        #expect(hints[0] == .changes && hints[2] == .summary && hints[3] == nil)
    }

    @Test func `events that wait become one of a kind, and none is lost`() {
        var queue = DeviceEventQueue()
        let list = ServiceHint(.init(name: "presence", data: #"{"list":"00000000-0000-7000-8000-000000000002"}"#))
        guard case .presence(let id) = list else { return #expect(Bool(false), "a hint of presence") }
        for event in [
            DeviceEvent.sync(.network), .presence(id), .summary, .sync(.push), .presence(id), .summary, .sync(.timer),
        ] { queue.add(event) }
        var taken: [DeviceEvent] = []
        while let event = queue.take() { taken.append(event) }
        #expect(taken == [.sync(.network), .presence(id), .summary])
    }
}
