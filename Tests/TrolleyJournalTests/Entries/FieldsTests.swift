import Testing
import TrolleyJournal

@Suite("Fields", .timeLimit(.minutes(20)))
struct FieldsTests {
    @Test("texts that only look alike are different")
    func bytes() {
        let composed: Fields = ["text": "caf\u{E9}"]
        let decomposed: Fields = ["text": "cafe\u{301}"]
        #expect(composed != decomposed)
        #expect(ListState(name: "caf\u{E9}") != ListState(name: "cafe\u{301}"))
        var both: Fields = ["\u{E9}": "1"]
        both["e\u{301}"] = "2"
        #expect(both.count == 2)
    }

    @Test("keys come in the order of their bytes, with the text among them")
    func order() {
        let fields: Fields = ["zz": "4", "text": "3", "Text": "1", "aisle": "2"]
        #expect(fields.map(\.key) == ["Text", "aisle", "text", "zz"])
    }

    @Test("a text that is no string is kept")
    func oddText() {
        var fields: Fields = ["text": .json("7")]
        #expect(fields["text"] == .json("7"))
        fields["text"] = "seven"
        #expect(fields.count == 1 && fields["text"] == "seven")
        fields["text"] = .null
        #expect(fields.count == 1 && fields["text"] == .null)
        fields["text"] = nil
        #expect(fields.isEmpty)
    }
}
