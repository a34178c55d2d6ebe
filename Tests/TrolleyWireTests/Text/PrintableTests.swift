import FoundationEssentials
import Testing
import TrolleyWire

@Suite(.timeLimit(.minutes(20))) struct PrintableTests {
    @Test func `what steers a terminal is replaced, in text and in one line`() {
        #expect("a\u{1B}[2Jb\u{1B}]52;c;eA==\u{7}".printable == "a\u{FFFD}[2Jb\u{FFFD}]52;c;eA==\u{FFFD}")
        #expect(
            "a\u{1B}[8m".printable == "a\u{FFFD}[8m"
                && "a\r\nb\u{9B}2J\u{7F}".printable == "a\u{FFFD}\nb\u{FFFD}2J\u{FFFD}")
        #expect("milk\nbread".inOneLine == "milk\u{FFFD}bread" && "milk\nbread".printable == "milk\nbread")
        #expect("a\u{2028}b\tc".inOneLine == "a\u{FFFD}b\u{FFFD}c")
    }

    @Test(arguments: Array(0x202A...0x202E) + Array(0x2066...0x2069))
    func `nothing reorders the text around it`(_ scalar: UInt32) throws {
        let text = "a\(try #require(Unicode.Scalar(scalar)))b"
        #expect(text.printable == "a\u{FFFD}b" && text.inOneLine == "a\u{FFFD}b" && text.steersTerminal)
    }

    @Test(arguments: ["חלב", "حليب\u{200F}", "\u{200E}milk\u{61C}", "👩\u{200D}👧", "café", "牛奶", "Kä\u{301}se"])
    func `people's scripts stay as they are`(_ text: String) {
        #expect(text.printable == text && text.inOneLine == text && text.printableJSON == text && !text.steersTerminal)
    }

    @Test func `a JSON document keeps its value, and has no scalar that steers a terminal`() throws {
        let names = ["\u{1B}[8m", "\u{9B}2J\u{7F}\u{85}", "\u{202E}x\u{2066}", "a\nb\t\u{0}"]
        var writer = JSONWriter()
        writer.array { writer in for name in names { writer.string(name) } }
        let json = String(decoding: writer.bytes, as: UTF8.self)
        #expect(!json.unicodeScalars.contains { $0.value < 0x20 }, "the writer escapes C0 itself")
        #expect(!json.printableJSON.steersTerminal)
        #expect(try JSONDecoder().decode([String].self, from: Data(json.printableJSON.utf8)) == names)
        #expect("{\n  \"a\": 1\n}".printableJSON == "{\n  \"a\": 1\n}")
    }

    @Test func `an outline shows a document's texts safely`() throws {
        let json = #"{"na\u001b[2Jme":"Al\u001b[8mice\nroot","list":["\u202ebread"]}"#
        let text = try Outline.text(of: json.utf8)
        #expect(text == "na\u{FFFD}[2Jme: Al\u{FFFD}[8mice\u{FFFD}root\nlist: \u{FFFD}bread")
    }
}
