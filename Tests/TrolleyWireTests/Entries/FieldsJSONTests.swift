import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Fields as JSON", .timeLimit(.minutes(20)))
struct FieldsJSONTests {
    @Test("a field that this version doesn't know comes out as it went in")
    func unknownFields() throws {
        let json = #"{"price":{"amount":1.50,"tiers":[1,2.0,-0,1E5,null,{"a":"ä"}]},"text":"milk","zone":null}"#
        #expect(try rewritten(json) == json)
    }

    @Test("white space and the order of keys make no other value")
    func canonical() throws {
        #expect(
            try rewritten(#" { "zone" : 1 , "box" : { "b" : 1 , "a" : [ ] } , "text" : "milk" } "#)
                == #"{"box":{"a":[],"b":1},"text":"milk","zone":1}"#)
    }

    @Test("the last of two equal keys counts")
    func duplicateKeys() throws {
        #expect(try rewritten(#"{"text":"milk","x":1,"text":"bread","x":2}"#) == #"{"text":"bread","x":2}"#)
    }

    @Test("keys that look alike and differ in their bytes are two keys")
    func bytes() throws {
        let json = "{\"e\u{301}\":1,\"\u{E9}\":2}"
        #expect(try Array(rewritten(json).utf8) == Array(json.utf8))
    }

    @Test("escapes are one way to write a text, not another text")
    func escapes() throws {
        #expect(try rewritten(#"{"te\u0078t":"m\u0069lk\/"}"#) == #"{"text":"milk/"}"#)
    }

    private func rewritten(_ json: String) throws -> String {
        let fields = try JSONReader.read(Array(json.utf8)) { reader throws(WireError) in try Fields(from: &reader) }
        var writer = JSONWriter()
        fields.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
